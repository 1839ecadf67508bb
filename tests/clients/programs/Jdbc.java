import java.math.BigDecimal;
import java.sql.*;
import java.util.*;

/** What JDBC programs and tools ask of a database; run by `test_jdbc`. Prints `name<TAB>value` lines. */
public class Jdbc {
    interface Work {
        Object run() throws Exception;
    }

    static void say(String name, Work work) {
        Object value;
        try {
            value = work.run();
        } catch (Exception e) {
            value = "FAILED " + e.getMessage();
        }
        System.out.println(name + "\t" + String.valueOf(value).replace("\n", "|"));
    }

    static String rows(ResultSet r, String... columns) throws SQLException {
        List<String> out = new ArrayList<>();
        while (r.next()) {
            List<String> row = new ArrayList<>();
            for (String c : columns) row.add(r.getString(c));
            out.add(String.join(" ", row));
        }
        return String.join(", ", out);
    }

    public static void main(String[] a) throws Exception {
        Connection c = DriverManager.getConnection("jdbc:postgresql://" + a[0] + ":" + a[1] + "/tidewire", "tidewire", "");
        Statement s = c.createStatement();
        s.execute("CREATE SCHEMA jdbc");
        s.execute("CREATE TABLE jdbc.parents (id serial PRIMARY KEY, name varchar(20) NOT NULL UNIQUE, n numeric(8,2))");
        s.execute("CREATE TABLE jdbc.children (id int PRIMARY KEY, parent_id int REFERENCES jdbc.parents (id) ON DELETE CASCADE)");
        DatabaseMetaData d = c.getMetaData();
        say("catalogs", () -> rows(d.getCatalogs(), "TABLE_CAT"));
        say("schemas", () -> rows(d.getSchemas(null, "jdbc"), "TABLE_SCHEM"));
        say("tables", () -> rows(d.getTables(null, "jdbc", "%", new String[] {"TABLE"}), "TABLE_NAME", "TABLE_TYPE"));
        say("columns", () -> rows(d.getColumns(null, "jdbc", "parents", "%"), "COLUMN_NAME", "TYPE_NAME", "COLUMN_SIZE", "NULLABLE", "IS_AUTOINCREMENT"));
        say("keys", () -> rows(d.getPrimaryKeys(null, "jdbc", "parents"), "COLUMN_NAME", "KEY_SEQ", "PK_NAME"));
        say("imported", () -> rows(d.getImportedKeys(null, "jdbc", "children"), "PKTABLE_NAME", "FKCOLUMN_NAME", "DELETE_RULE", "FK_NAME"));
        say("exported", () -> rows(d.getExportedKeys(null, "jdbc", "parents"), "FKTABLE_NAME", "PKCOLUMN_NAME"));
        say("indexes", () -> rows(d.getIndexInfo(null, "jdbc", "parents", false, false), "INDEX_NAME", "COLUMN_NAME", "NON_UNIQUE"));
        say("best row", () -> rows(d.getBestRowIdentifier(null, "jdbc", "parents", 1, true), "COLUMN_NAME"));
        say("privileges", () -> rows(d.getTablePrivileges(null, "jdbc", "children"), "PRIVILEGE"));
        say("types", () -> {
            Set<String> names = new HashSet<>();
            ResultSet r = d.getTypeInfo();
            while (r.next()) names.add(r.getString("TYPE_NAME"));
            return names.containsAll(List.of("int4", "text", "numeric", "timestamptz", "serial", "jsonb", "uuid"));
        });
        say("functions", () -> rows(d.getFunctions(null, "pg_catalog", "lower"), "FUNCTION_NAME", "SPECIFIC_NAME"));
        say("keywords", () -> d.getSQLKeywords().contains("ilike"));
        s.execute("CREATE TABLE jdbc.things (id serial PRIMARY KEY, a int, n numeric(8,2), t timestamp, x text, f float8, o boolean, b bytea)");
        say("generated", () -> {
            PreparedStatement p = c.prepareStatement("INSERT INTO jdbc.things (a, n, t, x, f, o, b) VALUES (?, ?, ?, ?, ?, ?, ?)", Statement.RETURN_GENERATED_KEYS);
            for (int i = 0; i < 8; i++) { // from the fifth on the driver speaks binary
                p.setInt(1, i);
                p.setBigDecimal(2, new BigDecimal("1.25"));
                p.setTimestamp(3, Timestamp.valueOf("2020-01-02 03:04:05"));
                p.setString(4, "s" + i);
                p.setDouble(5, 1.5);
                p.setBoolean(6, true);
                p.setBytes(7, new byte[] {1, 2});
                p.executeUpdate();
            }
            return rows(p.getGeneratedKeys(), "id", "x");
        });
        say("binary", () -> {
            PreparedStatement p = c.prepareStatement("SELECT a, n, t, x, f, o, b FROM jdbc.things WHERE id = ?");
            String shown = "";
            for (int i = 0; i < 8; i++) {
                p.setInt(1, 1);
                ResultSet r = p.executeQuery();
                r.next();
                shown = r.getInt(1) + " " + r.getBigDecimal(2) + " " + r.getTimestamp(3) + " " + r.getString(4) + " " + r.getDouble(5) + " " + r.getBoolean(6) + " " + r.getBytes(7).length;
            }
            return shown;
        });
        say("batch", () -> {
            PreparedStatement p = c.prepareStatement("INSERT INTO jdbc.things (a) VALUES (?)");
            for (int i = 0; i < 10; i++) {
                p.setInt(1, i);
                p.addBatch();
            }
            return Arrays.toString(p.executeBatch());
        });
        say("fetch size", () -> {
            c.setAutoCommit(false);
            Statement q = c.createStatement();
            q.setFetchSize(2);
            ResultSet r = q.executeQuery("SELECT id FROM jdbc.things ORDER BY id");
            int n = 0;
            while (r.next()) n++;
            c.commit();
            c.setAutoCommit(true);
            return n;
        });
        say("savepoint", () -> {
            c.setAutoCommit(false);
            Savepoint p = c.setSavepoint("here");
            try {
                s.execute("SELECT 1/0");
            } catch (SQLException e) {
                c.rollback(p);
            }
            ResultSet r = s.executeQuery("SELECT 'alive' AS x");
            String x = rows(r, "x");
            c.commit();
            c.setAutoCommit(true);
            return x;
        });
        say("arrays", () -> {
            PreparedStatement p = c.prepareStatement("SELECT count(*) AS n FROM jdbc.things WHERE a = ANY (?)");
            p.setArray(1, c.createArrayOf("int4", new Integer[] {1, 2}));
            return rows(p.executeQuery(), "n");
        });
        say("updatable", () -> {
            Statement q = c.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
            ResultSet r = q.executeQuery("SELECT id, x FROM jdbc.things ORDER BY id LIMIT 1");
            r.next();
            r.updateString("x", "changed");
            r.updateRow();
            return rows(s.executeQuery("SELECT x FROM jdbc.things WHERE id = 1"), "x");
        });
        say("described", () -> {
            PreparedStatement p = c.prepareStatement("SELECT id, n, x AS y FROM jdbc.things WHERE a = ? AND n > ?");
            ResultSetMetaData m = p.getMetaData();
            ParameterMetaData q = p.getParameterMetaData();
            return m.getTableName(1) + " " + m.isAutoIncrement(1) + " " + m.getPrecision(2) + "," + m.getScale(2) + " " + m.getColumnLabel(3) + " " + q.getParameterTypeName(1) + " " + q.getParameterTypeName(2);
        });
        say("call", () -> {
            CallableStatement q = c.prepareCall("{? = call lower(?)}");
            q.registerOutParameter(1, Types.VARCHAR);
            q.setString(2, "ABC");
            q.execute();
            return q.getString(1);
        });
        say("copy", () -> {
            org.postgresql.copy.CopyManager m = new org.postgresql.copy.CopyManager((org.postgresql.core.BaseConnection) c);
            long n = m.copyIn("COPY jdbc.things (a, x) FROM STDIN CSV", new java.io.StringReader("1,z\n2,y\n"));
            java.io.StringWriter w = new java.io.StringWriter();
            m.copyOut("COPY (SELECT a, x FROM jdbc.things WHERE x IN ('z', 'y') ORDER BY a) TO STDOUT", w);
            return n + " " + w;
        });
        say("out parameters", () -> {
            s.execute("CREATE FUNCTION jdbc.both(a int, b int, OUT s int, OUT p int) LANGUAGE plpgsql AS 'begin s := a + b; p := a * b; end'");
            CallableStatement q = c.prepareCall("{call jdbc.both(?, ?, ?, ?)}");
            q.setInt(1, 3);
            q.setInt(2, 4);
            q.registerOutParameter(3, Types.INTEGER);
            q.registerOutParameter(4, Types.INTEGER);
            q.execute();
            return q.getInt(3) + " " + q.getInt(4);
        });
        say("rows of a cursor", () -> {
            s.execute("CREATE FUNCTION jdbc.some() RETURNS refcursor LANGUAGE plpgsql AS 'declare r refcursor; begin open r for select i from generate_series(1, 3) i; return r; end'");
            c.setAutoCommit(false);
            CallableStatement q = c.prepareCall("{? = call jdbc.some()}");
            q.registerOutParameter(1, Types.REF_CURSOR);
            q.execute();
            String found = rows(q.getObject(1, ResultSet.class), "i");
            c.commit();
            return found;
        });
        say("large object", () -> {
            org.postgresql.largeobject.LargeObjectManager m = c.unwrap(org.postgresql.PGConnection.class).getLargeObjectAPI();
            long id = m.createLO();
            org.postgresql.largeobject.LargeObject o = m.open(id, org.postgresql.largeobject.LargeObjectManager.READWRITE);
            o.write(new byte[300000]);
            o.seek(299998);
            o.write("tail".getBytes());
            o.seek(-6, org.postgresql.largeobject.LargeObject.SEEK_END);
            String found = o.size() + " " + Arrays.toString(o.read(9));
            o.truncate(10);
            found += " " + o.size64();
            o.close();
            m.delete(id);
            c.commit();
            c.setAutoCommit(true);
            return found;
        });
        say("batch that fails", () -> {
            PreparedStatement p = c.prepareStatement("INSERT INTO jdbc.things (id, a, x) VALUES (?, ?, 'b')");
            for (int id : new int[] {9001, 9002, 9001}) {
                p.setInt(1, id);
                p.setInt(2, id);
                p.addBatch();
            }
            try {
                p.executeBatch();
                return "passed";
            } catch (BatchUpdateException e) {
                return Arrays.toString(e.getUpdateCounts()) + " " + e.getNextException().getSQLState();
            }
        });
        say("isolation", () -> {
            c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            return c.getTransactionIsolation() == Connection.TRANSACTION_SERIALIZABLE;
        });
        say("valid", () -> c.isValid(10));
        c.close();
    }
}
