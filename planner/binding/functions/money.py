"""money: operators, functions and sums (`planner.types.money`)."""

from __future__ import annotations

from planner.binding.functions.registry import template, templates

templates("""
money + money => tw_money_plus({0}, {1})
money - money => tw_money_minus({0}, {1})
money / money => tw_money_ratio({0}, {1})
cash_words(money) => tw_money_words({0})
cash_send(money) => tw_money_send({0})
cash_cmp(money, money) => CASE WHEN {0} < {1} THEN -1 WHEN {0} > {1} THEN 1 WHEN {0} = {1} THEN 0 END
cashlarger(money, money) => CASE WHEN {0} < {1} THEN {1} WHEN {1} IS NOT NULL THEN {0} END
cashsmaller(money, money) => CASE WHEN {0} > {1} THEN {1} WHEN {1} IS NOT NULL THEN {0} END
money(numeric) => tw_money_of_numeric({0})
money(int4) => tw_money_of_integer({0})
money(int8) => tw_money_of_integer({0})
numeric(money) => tw_money_numeric({0})
""")
for _kind in ("int2", "int4", "int8"):
    template(f"money * {_kind}", "tw_money_times({0}, {1})")
    template(f"{_kind} * money", "tw_money_times({1}, {0})")
    template(f"money / {_kind}", "tw_money_divided({0}, {1})")
for _kind in ("float4", "float8"):
    template(f"money * {_kind}", "tw_money_scaled({0}, {1})")
    template(f"{_kind} * money", "tw_money_scaled({1}, {0})")
    template(f"money / {_kind}", "tw_money_unscaled({0}, {1})")
