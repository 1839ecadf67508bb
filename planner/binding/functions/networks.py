"""inet, cidr and macaddr: the operators and functions of chapter 9.12."""

from __future__ import annotations

from planner.binding.functions.registry import template, templates

for _op in ("=", "<>", "<", "<=", ">", ">="):
    # By their keys even for equality: an inet and a cidr of one value show it differently.
    template(f"inet {_op} inet", f"(tw_inet_key({{0}}) {_op} tw_inet_key({{1}}))")
for _word in ("IS DISTINCT FROM", "IS NOT DISTINCT FROM"):
    template(f"inet {_word.lower()} inet", f"(tw_inet_key({{0}}) {_word} tw_inet_key({{1}}))")
templates("""
inet << inet => tw_inet_within({0}, {1}, true)
inet <<= inet => tw_inet_within({0}, {1}, false)
inet >> inet => tw_inet_within({1}, {0}, true)
inet >>= inet => tw_inet_within({1}, {0}, false)
inet && inet => tw_inet_overlap({0}, {1})
~ inet => tw_inet_not({0})
inet & inet => tw_inet_and({0}, {1})
inet | inet => tw_inet_or({0}, {1})
inet + int8 => tw_inet_plus({0}, {1})
int8 + inet => tw_inet_plus({1}, {0})
inet - int8 => tw_inet_minus({0}, {1})
inet - inet => tw_inet_difference({0}, {1})
abbrev(inet) => tw_in_inet({0})
abbrev(cidr) => tw_inet_abbrev_cidr({0})
broadcast(inet) => tw_inet_broadcast({0})
family(inet) => tw_inet_family({0})
host(inet) => tw_inet_host({0})
hostmask(inet) => tw_inet_hostmask({0})
inet_merge(inet, inet) => tw_inet_merge({0}, {1})
inet_same_family(inet, inet) => tw_inet_same_family({0}, {1})
masklen(inet) => tw_inet_masklen({0})
netmask(inet) => tw_inet_netmask({0})
network(inet) => tw_inet_network({0})
set_masklen(inet, int4) => tw_inet_set_masklen({0}, {1})
set_masklen(cidr, int4) => tw_cidr_set_masklen({0}, {1})
cidr(inet) => tw_inet_network({0})
text(inet) => tw_inet_text({0})
~ macaddr => tw_macaddr_not({0})
macaddr & macaddr => tw_macaddr_and({0}, {1})
macaddr | macaddr => tw_macaddr_or({0}, {1})
trunc(macaddr) => tw_macaddr_trunc({0})
macaddr8(macaddr) => tw_macaddr_longer({0})
~ macaddr8 => tw_macaddr_not({0})
macaddr8 & macaddr8 => tw_macaddr_and({0}, {1})
macaddr8 | macaddr8 => tw_macaddr_or({0}, {1})
trunc(macaddr8) => tw_macaddr_trunc({0})
macaddr8_set7bit(macaddr8) => tw_macaddr8_set7bit({0})
macaddr(macaddr8) => tw_macaddr_shorter({0})
""")
