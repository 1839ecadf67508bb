"""Points, lines, segments, boxes, paths, polygons and circles in the plane: chapters 8.8 and 9.11 of PostgreSQL's manual.

A datum is the text that the type's output function shows, with every digit that it takes to read the same number
again; functions see tuples of floats.

    '( 1 , 2e0 )'  --texts.READ-->  ((1.0, 2.0))  --texts.SHOW-->  '(1,2)'      the datum
                                        |
              numbers     +  -  *  /  that say what overflows, and = < <= within a millionth
              lines       points, lines, segments: intersections, nearest points, distances
              boxes, paths, circles
                                        |
              table       PostgreSQL's function -> ours, by name and types of arguments: what all evaluators call

Numbers are told apart by a millionth only (`EPSILON`), so "equal" is not transitive and there is no order: no index
but GiST, no GROUP BY, no DISTINCT.
"""
