"""Names in Chinese sentences that were cut into words: systems, devices, people, and what relations hold between."""

from collections.abc import Iterator

from hindsight_graph.extraction.chinese import COMPANIES, GENERIC, SUFFIXES
from hindsight_graph.extraction.chinese_clauses import LEADS, Clauses, is_nominal
from hindsight_graph.extraction.chinese_segmented import VALUE
from hindsight_graph.extraction.findings import Link, Name
from hindsight_graph.extraction.jieba_segmenter import Cut
from hindsight_graph.extraction.rules_zh import PERSON, PRONOUNS
from hindsight_graph.extraction.tokens_en import shape_of
from hindsight_graph.models.enums import EntityType
from hindsight_graph.models.enums import RelationType as R
from hindsight_graph.text.lazy import LazyPattern

_OF_THINGS = frozenset({R.DEPENDS_ON, R.USES, R.AVOIDS, R.PREFERS, R.REPLACES, R.PART_OF, R.OWNS, R.LOCATED_IN, R.PRODUCES})
_PARTS = frozenset("主板 水泵 轴承 电梯 网卡 硬盘 显卡 冷库 滤芯 闸机 道闸 探头 锅炉 电机 风扇 雷达 机柜 托盘 遥控器".split())
_OFFICE = LazyPattern("[\u4e00-\u9fff]{2,}(?:科技|(?<!用|到|好|坏|害|益|长|短)处|局)$")
_EXACT = frozenset(
    "团队 公司 仓库 服务 系统 平台 网关 数据库 集群 接口 后端 前端 用户 我们 环境 模块 工具 服务器 库存 "
    "采购 财务 项目组 项目 机房 办公室 客户 库".split()
)
_DEVICE = LazyPattern(
    "(?:(?<![关开停宕死待当装随时])[机器泵阀仪柜枪屏锯炉塔座钳轮轴罩壳片板箱桥坝闸圈灯秤]|车间|工厂|机房|"
    "传感器|控制器|软件|算法|密封圈|主机|商城|驿站|沉淀池|泵房|电梯|闸机|剧本库|气象站|血站|充电桩|风扇|"
    "模组|机械臂|信标|减震垫|主板|雷达|滤膜|探头|电机|芯片|硬盘|显卡|摄像头|无人机|飞机|检测车|采血车|配送车|读卡器|箱子|"
    "孵化箱|"
    "看板|大屏|小程序|团队|小组|项目组|分公司|事业部|工单系统|表格|脚本|SDK|App|APP|模型|引擎|插件|"
    "终端|"
    "门户|平台|系统|服务|网关|中台|数据库|集群|模块|中心|接口|收银台|网闸)$"
)


def find_names(clauses: Clauses, links: list[Link]) -> list[Name]:
    """Return the names in a Chinese sentence: the rules' cut at word borders, the ends of relations, devices and systems."""
    found = [*_of_rules(clauses, links), *_people(clauses), *_devices(clauses), *_ends(clauses.text, links)]
    taken: list[Name] = []
    for name in sorted(found, key=lambda name: (name.start - name.end, name.start)):
        if all(name.end <= other.start or name.start >= other.end for other in taken):
            taken.append(name)
    return sorted(taken, key=lambda name: name.start)


def _of_rules(clauses: Clauses, links: list[Link]) -> Iterator[Name]:
    """Yield the names that the rules found, where they begin and end as words do; else the part that does."""
    text = clauses.text
    whole = {(cut.start, cut.end) for cut in clauses.cuts if cut.tag == "name"}
    lead = LEADS.match(text)
    said = lead.end() if lead is not None else 0
    ends = {end for link in links for end in (link.source, link.target)}
    for name in clauses.names:
        if name.start < said < name.end or (name.type is EntityType.EVENT and name.text not in ends):
            continue
        sure = name.type in _SURE and not name.text.endswith(tuple(SUFFIXES))
        latin = not "\u4e00" <= name.text[:1] <= "\u9fff"
        cut_out = name.text not in _EXACT and _is_cut_out(clauses.cuts, name)
        if sure or latin or cut_out or (name.start, name.end) in whole:
            yield name
            continue
        inner = next((span for span in whole if name.start <= span[0] and span[1] == name.end), None)
        if inner is not None and inner[1] - inner[0] > 2:
            yield name._replace(text=text[inner[0] : inner[1]], start=inner[0])


def _people(clauses: Clauses) -> Iterator[Name]:
    for cut in clauses.cuts:
        if cut.tag in {"nr", "nrfg"} and 2 <= len(cut.text) <= 3 and PERSON.match(cut.text) and cut.text[0] not in "小老阿":
            yield Name(cut.text, cut.start, cut.end, EntityType.PERSON)


def _devices(clauses: Clauses) -> Iterator[Name]:
    for start, end in clauses.phrases:
        written = clauses.text[start:end].strip()
        known = written in _PARTS or (len(written) > 2 and (_DEVICE.search(written) or _OFFICE.search(written)))
        general = written in _EXACT or written in GENERIC or written.startswith(("新", "旧", "老", "这", "那", "各"))
        if known and not general and not _is_run_of(written):
            yield Name(written, start, start + len(written), EntityType.OTHER)


def _ends(text: str, links: list[Link]) -> Iterator[Name]:
    """Yield the ends of relations between things."""
    for link in links:
        for end in (link.source, link.target) if link.type in _OF_THINGS else ():
            at = text.find(end)
            if at >= 0 and 2 <= len(end) <= (_LONGEST_LATIN if end.isascii() else _LONGEST_END) and _names_thing(end):
                yield Name(end, at, at + len(end), EntityType.OTHER)


def _names_thing(end: str) -> bool:
    """Whether an end of a relation is a name, and no pronoun, value, event or general noun."""
    if "的" in end or end in _EXACT or end in PRONOUNS or end in GENERIC or end.lower() in _NO_THINGS:
        return False
    event = _EVENT.search(end) is not None and _COMPANY.match(end) is None
    return not event and not _with_software(end) and VALUE.fullmatch(end) is None


_LATIN_FIRST = LazyPattern(r"(?P<latin>[A-Za-z][\w.+#-]*(?: [\d.]+)?) ?[\u4e00-\u9fff]+|[\u4e00-\u9fff]+(?P<last>[A-Z][\w.]*)")


def _with_software(end: str) -> bool:
    """Whether an end is a known program with a general noun after it: the program alone is the name."""
    match = _LATIN_FIRST.fullmatch(end)
    if match is None:
        return False
    if match["last"]:
        return " " not in end
    if _is_run_of(end):
        return True
    return shape_of(match["latin"]) is EntityType.SOFTWARE and not match["latin"].isupper()


def _is_run_of(end: str) -> bool:
    """Whether a phrase is a named program with the way it is run: "Redis 集群", "Chrome 容器"."""
    return end.endswith(_RUN_OF) and end[:1].isascii() and not end.split(maxsplit=1)[0].isupper()


_COMPANY = LazyPattern(COMPANIES)
_LONGEST_END = 14
_LONGEST_LATIN = 32
"""Characters of an end in Latin script that names a thing."""
_NO_THINGS = frozenset("utc dns gps csv root select delete insert update".split())
_RUN_OF = ("容器", "集群", "实例", "接口", "账号", "镜像")
_SURE = frozenset({EntityType.PERSON, EntityType.PLACE, EntityType.ORGANISATION, EntityType.EVENT})
_EVENT = LazyPattern(
    "(?:问题|故障|报错|时间|数据|流程|主题|开发|拷贝|账号|容器|日志|文件|周报|票据|迁移|发布|部署|上线|"
    "变更|升级|保养|登录|写 \\w+|信号|账单|表格|巡检|识别|师|们|员|下游|上游|动态|流水|废水|键|键盘|密码|"
    "配方|排班|标签|门票|回访|[一二三四五六七八九]层|符号|通知|文档|密钥|中文|英文|审批|导航|浏览器缓存|权限|项目|字符集|"
    "习惯|办公室|主题|模式|格式|方案|方式|办法|语言|任务|页面|环境|配置|代码|会议|"
    "电话|邮件|咖啡|现金)$"
)


def _is_cut_out(cuts: tuple[Cut, ...], name: Name) -> bool:
    """Whether a name begins and ends where words do, and holds no verb of the clause."""
    inner = [cut for cut in cuts if name.start <= cut.start and cut.end <= name.end]
    return bool(inner) and inner[0].start == name.start and inner[-1].end == name.end and all(map(is_nominal, inner))
