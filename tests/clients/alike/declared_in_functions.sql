-- What a body declares is looked up when the function is made.
CREATE TABLE a (i int, t text);
CREATE TYPE pair AS (x int, y int);
CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x nosuch.col%TYPE; BEGIN RETURN 1; END $$;
CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x a.nosuch%TYPE; BEGIN RETURN 1; END $$;
CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x nosuch%TYPE; BEGIN RETURN 1; END $$;
CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x nosuch%ROWTYPE; BEGIN RETURN 1; END $$;
CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  x int;
  y public.nosuch%ROWTYPE;
BEGIN
  RETURN 1;
END $$;
CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x public.a.nosuch%TYPE; BEGIN RETURN 1; END $$;
CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x nosuch.a.i%TYPE; BEGIN RETURN 1; END $$;
CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x nosuch; BEGIN RETURN 1; END $$;
CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x nosuch.kind; BEGIN RETURN 1; END $$;
CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x nosuch[]; BEGIN RETURN 1; END $$;
CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ DECLARE c CURSOR (p nosuch) FOR SELECT 1; BEGIN RETURN 1; END $$;
CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x void; BEGIN RETURN 1; END $$;
CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x anyelement; BEGIN RETURN 1; END $$;
CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x trigger; BEGIN RETURN 1; END $$;
CREATE PROCEDURE f() LANGUAGE plpgsql AS $$
DECLARE
  x int;
BEGIN
  IF x IS NULL THEN
    FOR i IN 1 .. 3 LOOP
      DECLARE
        y nosuch;
      BEGIN
        NULL;
      END;
    END LOOP;
  END IF;
END $$;
CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  x public.a.i%TYPE; y a.t%TYPE; z x%TYPE; r a%ROWTYPE; p pair; q pair%ROWTYPE; u pair.x%TYPE; v refcursor; w record; k a; m a[];
  c CURSOR (p int, o a.t%TYPE) FOR SELECT 1;
BEGIN
  RETURN 1;
END $$;
SELECT f();
-- elsewhere, or not at all
CREATE SCHEMA s;
CREATE TYPE s.there AS ENUM ('a');
CREATE FUNCTION g() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x there; BEGIN RETURN 1; END $$;
CREATE FUNCTION g() RETURNS int LANGUAGE plpgsql SET search_path = s AS $$ DECLARE x there; BEGIN RETURN 1; END $$;
SELECT g();
SET check_function_bodies = off;
CREATE FUNCTION h() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x later; BEGIN RETURN 1; END $$;
CREATE TYPE later AS (a int);
SELECT h();
