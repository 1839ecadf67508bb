"""PostgreSQL's type OIDs: the names by which types are known on the wire and in every catalog.

Drivers have these numbers compiled in, so they are as fixed as the protocol. `ARRAY_OF` and
`ELEMENT_OF` come from the table of facts in `facts`.
"""

from __future__ import annotations

from typing import Final

BOOL: Final = 16
BYTEA: Final = 17
CHAR: Final = 18  # "char", one byte; not char(n), which is BPCHAR
NAME: Final = 19
INT8: Final = 20
INT2: Final = 21
INT2VECTOR: Final = 22
INT4: Final = 23
REGPROC: Final = 24
TEXT: Final = 25
OID: Final = 26
TID: Final = 27
XID: Final = 28
CID: Final = 29
OIDVECTOR: Final = 30
JSON: Final = 114
XML: Final = 142
PG_NODE_TREE: Final = 194
POINT: Final = 600
LSEG: Final = 601
PATH: Final = 602
BOX: Final = 603
POLYGON: Final = 604
LINE: Final = 628
FLOAT4: Final = 700
FLOAT8: Final = 701
UNKNOWN: Final = 705
CIRCLE: Final = 718
MONEY: Final = 790
CIDR: Final = 650
MACADDR8: Final = 774
MACADDR: Final = 829
INET: Final = 869
ACLITEM: Final = 1033
BPCHAR: Final = 1042
VARCHAR: Final = 1043
DATE: Final = 1082
TIME: Final = 1083
TIMESTAMP: Final = 1114
TIMESTAMPTZ: Final = 1184
INTERVAL: Final = 1186
TIMETZ: Final = 1266
BIT: Final = 1560
VARBIT: Final = 1562
NUMERIC: Final = 1700
REFCURSOR: Final = 1790
REGPROCEDURE: Final = 2202
REGOPER: Final = 2203
REGOPERATOR: Final = 2204
REGCLASS: Final = 2205
REGTYPE: Final = 2206
RECORD: Final = 2249
CSTRING: Final = 2275
ANY: Final = 2276
ANYARRAY: Final = 2277
VOID: Final = 2278
TRIGGER: Final = 2279
ANYELEMENT: Final = 2283
ANYENUM: Final = 3500
ANYRANGE: Final = 3831
ANYMULTIRANGE: Final = 4537
UUID: Final = 2950
TXID_SNAPSHOT: Final = 2970
PG_LSN: Final = 3220
TSVECTOR: Final = 3614
TSQUERY: Final = 3615
REGCONFIG: Final = 3734
REGDICTIONARY: Final = 3769
JSONB: Final = 3802
JSONPATH: Final = 4072
REGNAMESPACE: Final = 4089
REGROLE: Final = 4096
REGCOLLATION: Final = 4191
PG_SNAPSHOT: Final = 5038
XID8: Final = 5069
INT4RANGE: Final = 3904
NUMRANGE: Final = 3906
TSRANGE: Final = 3908
TSTZRANGE: Final = 3910
DATERANGE: Final = 3912
INT8RANGE: Final = 3926
INT4MULTIRANGE: Final = 4451
NUMMULTIRANGE: Final = 4532
TSMULTIRANGE: Final = 4533
TSTZMULTIRANGE: Final = 4534
DATEMULTIRANGE: Final = 4535
INT8MULTIRANGE: Final = 4536

CITEXT: Final = 15_900  # of extensions: see of_extensions
CITEXT_ARRAY: Final = 15_901
HSTORE: Final = 15_902
HSTORE_ARRAY: Final = 15_903

BOOL_ARRAY: Final = 1000
BYTEA_ARRAY: Final = 1001
CHAR_ARRAY: Final = 1002
NAME_ARRAY: Final = 1003
INT2_ARRAY: Final = 1005
INT4_ARRAY: Final = 1007
TEXT_ARRAY: Final = 1009
BPCHAR_ARRAY: Final = 1014
VARCHAR_ARRAY: Final = 1015
INT8_ARRAY: Final = 1016
FLOAT4_ARRAY: Final = 1021
FLOAT8_ARRAY: Final = 1022
OID_ARRAY: Final = 1028
ACLITEM_ARRAY: Final = 1034
TIMESTAMP_ARRAY: Final = 1115
DATE_ARRAY: Final = 1182
TIME_ARRAY: Final = 1183
TIMESTAMPTZ_ARRAY: Final = 1185
INTERVAL_ARRAY: Final = 1187
NUMERIC_ARRAY: Final = 1231
JSON_ARRAY: Final = 199
JSONB_ARRAY: Final = 3807
UUID_ARRAY: Final = 2951
RECORD_ARRAY: Final = 2287
