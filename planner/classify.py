"""Each utility statement's kind, command tag and result columns: one table, read top to bottom."""

from __future__ import annotations

from typing import Any, Final

from planner import statements as st
from planner import types
from planner.abc import ResultColumn, StatementKind, TypeRef

_SESSION, _READ, _DDL = StatementKind.SESSION, StatementKind.READ, StatementKind.DDL

_FIXED: Final[dict[type[Any], tuple[StatementKind, str]]] = {
    st.Begin: (_SESSION, "BEGIN"),
    st.Commit: (_SESSION, "COMMIT"),
    st.Rollback: (_SESSION, "ROLLBACK"),
    st.RollbackTo: (_SESSION, "ROLLBACK"),
    st.PrepareTransaction: (_SESSION, "PREPARE TRANSACTION"),
    st.EndPrepared: (_SESSION, "COMMIT PREPARED"),
    st.Savepoint: (_SESSION, "SAVEPOINT"),
    st.ReleaseSavepoint: (_SESSION, "RELEASE"),
    st.SetVariable: (_SESSION, "SET"),
    st.SetTransaction: (_SESSION, "SET"),
    st.SetSessionAuthorization: (_SESSION, "SET"),
    st.SetRole: (_SESSION, "SET"),
    st.SetConstraints: (_SESSION, "SET CONSTRAINTS"),
    st.ResetVariable: (_SESSION, "RESET"),
    st.ShowVariable: (_SESSION, "SHOW"),
    st.Prepare: (_SESSION, "PREPARE"),
    st.Execute: (_SESSION, "EXECUTE"),
    st.Deallocate: (_SESSION, "DEALLOCATE"),
    st.DeclareCursor: (_SESSION, "DECLARE CURSOR"),
    st.Fetch: (_SESSION, "FETCH"),
    st.CloseCursor: (_SESSION, "CLOSE CURSOR"),
    st.Discard: (_SESSION, "DISCARD"),
    st.Do: (_SESSION, "DO"),
    st.Listen: (_SESSION, "LISTEN"),
    st.Unlisten: (_SESSION, "UNLISTEN"),
    st.Notify: (_SESSION, "NOTIFY"),
    st.Load: (_SESSION, "LOAD"),
    st.SecurityLabel: (_SESSION, "SECURITY LABEL"),
    st.AlterLargeObject: (_SESSION, "ALTER LARGE OBJECT"),
    st.AlterSystem: (_SESSION, "ALTER SYSTEM"),
    st.LockTable: (_SESSION, "LOCK TABLE"),
    st.Explain: (_READ, "EXPLAIN"),
    st.SelectAsOf: (_READ, "SELECT"),
    st.PositionedWrite: (StatementKind.READ_THEN_WRITE, "UPDATE"),
    st.CreateTable: (_DDL, "CREATE TABLE"),
    st.CreateTableAs: (_DDL, "SELECT"),
    st.Truncate: (_DDL, "TRUNCATE TABLE"),
    st.CreateIndex: (_DDL, "CREATE INDEX"),
    st.RefreshMaterializedView: (_DDL, "REFRESH MATERIALIZED VIEW"),
    st.CreateView: (_DDL, "CREATE VIEW"),
    st.CreateSequence: (_DDL, "CREATE SEQUENCE"),
    st.AlterSequence: (_DDL, "ALTER SEQUENCE"),
    st.CreateSchema: (_DDL, "CREATE SCHEMA"),
    st.AlterSchema: (_DDL, "ALTER SCHEMA"),
    st.CreateEnum: (_DDL, "CREATE TYPE"),
    st.CreateRange: (_DDL, "CREATE TYPE"),
    st.CreateCollation: (_DDL, "CREATE COLLATION"),
    st.AlterCollation: (_DDL, "ALTER COLLATION"),
    st.CreateStatistics: (_DDL, "CREATE STATISTICS"),
    st.AlterStatistics: (_DDL, "ALTER STATISTICS"),
    st.CreateOperator: (_DDL, "CREATE OPERATOR"),
    st.AlterOperator: (_DDL, "ALTER OPERATOR"),
    st.DropOperators: (_DDL, "DROP OPERATOR"),
    st.CreateConversion: (_DDL, "CREATE CONVERSION"),
    st.AlterConversion: (_DDL, "ALTER CONVERSION"),
    st.CreateOperatorClass: (_DDL, "CREATE OPERATOR CLASS"),
    st.CreateOperatorFamily: (_DDL, "CREATE OPERATOR FAMILY"),
    st.AlterOperatorFamily: (_DDL, "ALTER OPERATOR FAMILY"),
    st.CreateWrapper: (_DDL, "CREATE FOREIGN DATA WRAPPER"),
    st.AlterWrapper: (_DDL, "ALTER FOREIGN DATA WRAPPER"),
    st.CreateServer: (_DDL, "CREATE SERVER"),
    st.AlterServer: (_DDL, "ALTER SERVER"),
    st.ImportForeignSchema: (_DDL, "IMPORT FOREIGN SCHEMA"),
    st.CreateEventTrigger: (_DDL, "CREATE EVENT TRIGGER"),
    st.AlterEventTrigger: (_DDL, "ALTER EVENT TRIGGER"),
    st.DropEventTrigger: (_DDL, "DROP EVENT TRIGGER"),
    st.CreatePublication: (_DDL, "CREATE PUBLICATION"),
    st.CreateSubscription: (_DDL, "CREATE SUBSCRIPTION"),
    st.AlterSubscription: (_DDL, "ALTER SUBSCRIPTION"),
    st.AlterPublication: (_DDL, "ALTER PUBLICATION"),
    st.CreateCast: (_DDL, "CREATE CAST"),
    st.DropCast: (_DDL, "DROP CAST"),
    st.CreateExtension: (_DDL, "CREATE EXTENSION"),
    st.AlterExtension: (_DDL, "ALTER EXTENSION"),
    st.AlterEnum: (_DDL, "ALTER TYPE"),
    st.CreateComposite: (_DDL, "CREATE TYPE"),
    st.CreateDomain: (_DDL, "CREATE DOMAIN"),
    st.CreatePolicy: (_DDL, "CREATE POLICY"),
    st.CreateRule: (_DDL, "CREATE RULE"),
    st.RenameRule: (_DDL, "ALTER RULE"),
    st.DropRule: (_DDL, "DROP RULE"),
    st.AlterPolicy: (_DDL, "ALTER POLICY"),
    st.RenamePolicy: (_DDL, "ALTER POLICY"),
    st.DropPolicy: (_DDL, "DROP POLICY"),
    st.CreateTrigger: (_DDL, "CREATE TRIGGER"),
    st.DropTrigger: (_DDL, "DROP TRIGGER"),
    st.RenameTrigger: (_DDL, "ALTER TRIGGER"),
    st.CreateRole: (_DDL, "CREATE ROLE"),
    st.AlterRole: (_DDL, "ALTER ROLE"),
    st.CreateDatabase: (_DDL, "CREATE DATABASE"),
    st.Comment: (_DDL, "COMMENT"),
    st.AlterDefaultPrivileges: (_DDL, "ALTER DEFAULT PRIVILEGES"),
    st.DropOwned: (_DDL, "DROP OWNED"),
    st.ReassignOwned: (_DDL, "REASSIGN OWNED"),
}


def classify(statement: Any) -> tuple[StatementKind, str]:
    """The kind and the command tag (without counts) of a utility statement."""
    fixed = _FIXED.get(type(statement))
    if isinstance(statement, st.Begin) and statement.start:
        return _SESSION, "START TRANSACTION"
    if isinstance(statement, st.Fetch) and statement.move:
        return _SESSION, "MOVE"
    if isinstance(statement, st.Deallocate) and statement.name is None:
        return _SESSION, "DEALLOCATE ALL"
    if isinstance(statement, st.CloseCursor) and statement.name is None:
        return _SESSION, "CLOSE CURSOR ALL"
    if isinstance(statement, st.Discard):
        return _SESSION, "DISCARD " + statement.what.upper()
    if isinstance(statement, st.CreateTable) and statement.foreign is not None:
        return _DDL, "CREATE FOREIGN TABLE"
    if fixed is not None:
        return fixed
    if isinstance(statement, st.Copy):
        return (StatementKind.WRITE if statement.is_from else _READ), "COPY"
    if isinstance(statement, st.Vacuum):
        return _SESSION, statement.what.upper()
    if isinstance(statement, st.AlterTable | st.AlterNamed):
        return _DDL, "ALTER " + statement.kind.upper()
    if isinstance(statement, st.CreateTextSearch | st.AlterTextSearch):
        verb = "CREATE " if isinstance(statement, st.CreateTextSearch) else "ALTER "
        return _DDL, verb + statement.kind.upper()
    if isinstance(statement, st.AlterClass | st.DropClass):
        verb = "ALTER " if isinstance(statement, st.AlterClass) else "DROP "
        return _DDL, verb + statement.signature.kind.upper()
    if isinstance(statement, st.UserMappingStatement):
        return _DDL, statement.verb.upper() + " USER MAPPING"
    if isinstance(statement, st.Drop):
        return _DDL, "DROP " + statement.kind.replace("-", " ").upper()
    if isinstance(statement, st.CreateAggregate):
        return _DDL, "CREATE AGGREGATE"
    if isinstance(statement, st.CreateFunction):
        return _DDL, "CREATE " + statement.kind.upper()
    if isinstance(statement, st.Call):
        return StatementKind.READ_THEN_WRITE, "CALL"
    if isinstance(statement, st.AlterFunction):
        return _DDL, statement.tag
    if isinstance(statement, st.DropFunctions):
        return _DDL, "DROP " + statement.kind.upper()
    if isinstance(statement, st.Grant):
        return _DDL, "REVOKE" if statement.revoke else "GRANT"
    if isinstance(statement, st.GrantLargeObject):
        return _SESSION, "REVOKE" if statement.revoke else "GRANT"
    if isinstance(statement, st.GrantRole):
        if statement.of_group:
            return _DDL, "ALTER ROLE"
        return _DDL, "REVOKE ROLE" if statement.revoke else "GRANT ROLE"
    if isinstance(statement, st.AlterSettings):
        return _DDL, statement.tag
    if isinstance(statement, st.Accepted):
        return _SESSION, statement.tag
    raise AssertionError(f"no class for {type(statement).__name__}")


_TEXT: Final = TypeRef(types.TEXT)
_SPELLED: Final = {"timezone": "TimeZone", "datestyle": "DateStyle", "intervalstyle": "IntervalStyle"}
"""The settings whose names PostgreSQL spells with capitals."""


def columns_of(statement: Any) -> tuple[ResultColumn, ...] | None:
    """The result columns of a utility statement that can be told from it alone."""
    if isinstance(statement, st.ShowVariable):
        if statement.name is None:
            return tuple(ResultColumn(n, _TEXT) for n in ("name", "setting", "description"))
        return (ResultColumn(_SPELLED.get(statement.name, statement.name), _TEXT),)
    if isinstance(statement, st.Explain):
        of = {"json": types.JSON, "xml": types.XML}.get(statement.format, types.TEXT)
        return (ResultColumn("QUERY PLAN", TypeRef(of)),)
    return None
