"""An invented infrastructure for the chains bench: dependency chains, facts around them, and other memories. Seeded."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

_HEADS = (
    "Lark Quill Otter Brim Tolver Sable Marn Pell Drift Corvo Hazel Ember Fenn Garnet Isol Juno Kestrel "
    "Lumen Mossa Nettle Orrin Petra Rowan Sorrel Thistle Umber Vesper Willow Yarrow Zephyr"
).split()
_TAILS = ("wick field mere gate stone ridge low den fax ton ford holm spar vale crest brook march light wold haven").split()
_JOBS = ("ledger gateway scheduler queue index router cache vault broker registry exporter resolver service API").split()
_ZH_FIRST = "云青星海松石雪霜竹枫鹿鹤银赤玄紫碧墨兰晨"
_ZH_SECOND = "雀桥港岭河原湖谷峰泉洲塔渡川林岩帆舟灯雁"
_ZH_JOBS = (
    "结算服务",
    "网关",
    "调度器",
    "消息队列",
    "索引库",
    "缓存",
    "账本",
    "仓储服务",
    "注册中心",
    "推送服务",
    "风控引擎",
    "对账平台",
)
_PEOPLE = ("Mira Tan", "Jonas Weil", "Ada Okoro", "Luis Prado", "Hana Sato", "Petr Novak", "Ines Duarte", "Omar Haddad")
_ZH_PEOPLE = ("王敏", "李昊", "陈思远", "赵倩", "周子航", "刘洋", "孙悦", "何嘉")
_TEAMS = ("payments", "search", "growth", "platform", "data", "identity")
_ZH_TEAMS = ("支付", "搜索", "增长", "平台", "数据", "账号")
_REGIONS = ("Frankfurt", "Dublin", "Oregon", "Singapore")
_ZH_REGIONS = ("杭州机房", "北京机房", "深圳机房", "成都机房")
_LANGUAGES = ("Go", "Rust", "Java", "Python", "Kotlin", "Elixir")

_DEPENDS = (
    "{a} depends on {b}.",
    "{a} relies on {b}.",
    "{a} needs {b} to start.",
    "{a} requires {b}.",
    "{a} cannot run without {b}.",
)
_ZH_DEPENDS = ("{a}依赖{b}。", "{a}依赖于{b}。", "{a}需要{b}才能启动。", "{a}离不开{b}。")
_FACTS = (
    "The {team} team owns {x}.",
    "{x} listens on port {port}.",
    "{x} is written in {language}.",
    "{person} is on call for {x}.",
    "{x} was restarted {count} times last month.",
    "The dashboard of {x} shows {count} requests per second.",
)
_ZH_FACTS = (
    "{x}由{team}团队负责。",
    "{x}监听{port}端口。",
    "{x}用{language}编写。",
    "{x}的值班人是{person}。",
    "{x}上个月重启了{count}次。",
    "{x}每秒处理{count}个请求。",
)
_PLACE, _ZH_PLACE = "{x} runs in {region}.", "{x}部署在{region}。"
_OTHER = (
    "{person} prefers to review {x} on Monday mornings.",
    "We decided to keep the alerts of {x} quiet at night.",
    "The load test of {x} reached {count} requests per second.",
    "{person} moved the backups of {x} to another bucket.",
    "The invoice for {x} was {count} euros in March.",
    "Do not deploy {x} on Fridays.",
)
_ZH_OTHER = (
    "{person}建议周一上午评审{x}。",
    "我们决定夜间关闭{x}的告警。",
    "{x}的压测达到每秒{count}次请求。",
    "{person}把{x}的备份迁到了新的存储桶。",
    "{x}三月份的账单是{count}元。",
    "周五不要发布{x}。",
)
QUESTIONS = (
    "What does {a} need in order to work?",
    "What does {a} depend on, directly and indirectly?",
    "{a} is down. Which things behind it should we check?",
    "Which dependencies does {a} have?",
    "What has to be up before {a} can start?",
    "Show me everything {a} is built on.",
    "If {a} fails, where could the root cause be?",
    "List the things {a} uses, all the way down.",
    "Which outages elsewhere would take {a} down?",
    "Why is {a} not working?",
)
"""Ways to ask about what lies behind a thing; only its own name stands in them."""
ZH_QUESTIONS = (
    "{a}要正常工作需要什么？",
    "{a}直接和间接依赖哪些服务？",
    "{a}出故障了，应该检查它背后的哪些东西？",
    "{a}有哪些依赖？",
    "{a}启动之前哪些东西必须先就绪？",
    "{a}建立在哪些东西之上？",
    "{a}挂了，根本原因可能在哪里？",
    "{a}一层层往下都用到了什么？",
    "别处的哪些故障会影响到{a}？",
    "{a}为什么不能用了？",
)


@dataclass(frozen=True)
class Fact:
    """One thing to remember: a sentence, its name as evidence, and what it says in the graph's terms."""

    ref: str
    text: str
    entities: tuple[str, ...]
    relations: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True)
class DependencyChain:
    """Five things, each depending on the next; `links` are the facts that say so, in order. `pattern` made the question."""

    nodes: tuple[str, ...]
    links: tuple[Fact, ...]
    pattern: str
    language: str

    @property
    def question(self) -> str:
        """A question that names the first thing alone."""
        return self.pattern.format(a=self.nodes[0])


@dataclass(frozen=True)
class World:
    """Chains, the facts around their things, and memories that have nothing to do with them; `facts` are all, shuffled."""

    chains: tuple[DependencyChain, ...]
    facts: tuple[Fact, ...]


def make_world(chains: int = 100, others: int = 10_000, seed: int = 7) -> World:
    """Invent a world.

    Args:
        chains: Chains of five things: six in ten English, three Chinese, one with both.
        others: Memories about other things, 30 % Chinese, a fifth of them dependencies.
        seed: Of everything drawn.
    """
    draw = random.Random(seed)
    english, chinese = _names(draw), _chinese_names(draw)
    made: list[DependencyChain] = []
    asked: Counter[bool] = Counter()
    facts: list[Fact] = []
    for number in range(chains):
        language = "mixed" if number % 10 == 9 else "zh" if number % 10 >= 6 else "en"
        is_chinese = [language == "zh" or (language == "mixed" and place % 2 == 1) for place in range(5)]
        nodes = tuple(next(chinese if flag else english) for flag in is_chinese)
        links = tuple(
            _depends(draw, f"chain:{number}:{place + 1}", nodes[place], nodes[place + 1], chinese=is_chinese[place])
            for place in range(4)
        )
        patterns = ZH_QUESTIONS if is_chinese[0] else QUESTIONS
        made.append(DependencyChain(nodes, links, patterns[asked[is_chinese[0]] % len(patterns)], language))
        asked[is_chinese[0]] += 1
        facts.extend(links)
        for place, node in enumerate(nodes):
            user = next(chinese if is_chinese[place] else english)
            facts.extend(_around(draw, f"around:{number}:{place}", node, user, chinese=is_chinese[place]))
    facts.extend(_others(draw, others, english, chinese))
    draw.shuffle(facts)
    return World(tuple(made), tuple(facts))


def _names(draw: random.Random) -> Iterator[str]:
    """Yield English names, each first word once; then again with two-part first words."""
    brands = [head + tail for head, tail in product(_HEADS, _TAILS)]
    draw.shuffle(brands)
    longer = [f"{head}{tail}{end}" for head, tail in product(_HEADS, _TAILS) for end in ("a", "is", "or", "en", "ia")]
    draw.shuffle(longer)
    for brand in (*brands, *longer):
        yield f"{brand} {draw.choice(_JOBS)}"


def _chinese_names(draw: random.Random) -> Iterator[str]:
    names = [first + second + job for first, second in product(_ZH_FIRST, _ZH_SECOND) for job in _ZH_JOBS]
    draw.shuffle(names)
    yield from names


def _depends(draw: random.Random, ref: str, a: str, b: str, *, chinese: bool) -> Fact:
    text = draw.choice(_ZH_DEPENDS if chinese else _DEPENDS).format(a=a, b=b)
    return Fact(ref, _sentence(text), (a, b), ((a, "DEPENDS_ON", b),))


def _around(draw: random.Random, ref: str, node: str, user: str, *, chinese: bool) -> Iterator[Fact]:
    """Yield five facts about a thing of a chain: three attributes, a place, and something that depends on it."""
    for index, pattern in enumerate(draw.sample(_ZH_FACTS if chinese else _FACTS, 3)):
        yield Fact(f"{ref}:{index}", _sentence(_fill(draw, pattern, node, chinese=chinese)), (node,))
    region = draw.choice(_ZH_REGIONS if chinese else _REGIONS)
    text = (_ZH_PLACE if chinese else _PLACE).format(x=node, region=region)
    yield Fact(f"{ref}:3", _sentence(text), (node, region), ((node, "LOCATED_IN", region),))
    yield _depends(draw, f"{ref}:4", user, node, chinese=chinese)


def _others(draw: random.Random, count: int, english: Iterator[str], chinese: Iterator[str]) -> Iterator[Fact]:
    things = [next(english) for _ in range(max(count // 8, 2))]
    zh_things = [next(chinese) for _ in range(max(count // 16, 2))]
    seen: set[str] = set()
    while len(seen) < count:
        is_chinese = draw.random() < 0.3
        pool: Sequence[str] = zh_things if is_chinese else things
        thing = draw.choice(pool)
        ref = f"other:{len(seen)}"
        if draw.random() < 0.2:
            fact = _depends(
                draw, ref, thing, draw.choice([name for name in draw.sample(pool, 2) if name != thing]), chinese=is_chinese
            )
        else:
            patterns = (*_ZH_FACTS, *_ZH_OTHER) if is_chinese else (*_FACTS, *_OTHER)
            fact = Fact(ref, _sentence(_fill(draw, draw.choice(patterns), thing, chinese=is_chinese)), (thing,))
        if fact.text not in seen:
            seen.add(fact.text)
            yield fact


def _fill(draw: random.Random, pattern: str, thing: str, *, chinese: bool) -> str:
    return pattern.format(
        x=thing,
        team=draw.choice(_ZH_TEAMS if chinese else _TEAMS),
        person=draw.choice(_ZH_PEOPLE if chinese else _PEOPLE),
        language=draw.choice(_LANGUAGES),
        port=draw.randint(2000, 9999),
        count=draw.randint(3, 4000),
    )


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]
