"""Relations in Chinese sentences: clause patterns."""

import re

from hindsight_graph.extraction.chinese import COMPANIES, PLACES, SURNAMES
from hindsight_graph.extraction.findings import Link
from hindsight_graph.models.enums import RelationType as R
from hindsight_graph.text.language import HAN

_CLAUSE = re.compile(r"[,，;；。！!？?：:\n]+(?!\d)")
_NEG = "不要|不得|不能|不可以?|不许|不准|不允许|禁止|严禁|请勿|切勿|千万别|别再|别|勿|避免|杜绝|停止|不再|不应该?|不宜|从不|从来不|并不|没有|没|未|尚未|不会|不想|不愿意?|拒绝|不"
_FILLER = "平时|平常|平日|日常|私下|(?<![员社工协商大年])会|将|也|(?<![成首])都|已经|已|直接|间接|主要|目前|现在|正在|统一|一直|通常|经常|默认|必须|应该|应当|(?<![响供反效适])应|可能|大概|好像|似乎|可以|能够|(?<![功性智技职可])能|(?<!成)就|(?<!人)才|又|(?<![归偿])还|最终|全部|(?<!平)均|只|仅|严重|高度|非常|很|更|最|特别|共同|专门|曾经|曾|是|(?<![未原])来|其实|往往|有时|总是|反复|偶尔|本身|内部|底层|(?<![规法原准])则|再|要|得|务必|一定要|(?<![申邀])请|尽量|优先|同时|分别|(?<!公)共|直接|显著|彻底|成功|成功地|终于|随后|后来|一般|其实|同样|仍然|仍|依然|继续|每天|每晚|定期|自动|很|十分|改|需|需要"
_TAIL = re.compile(rf"(?:\s*(?:{_FILLER}))+\s*$")
_NEG_TAIL = re.compile(rf"(?:{_NEG})(?:\s*(?:{_FILLER}))*\s*$")
_NEG_PLACE = re.compile(r"(?:不要|不得|不能|不可以?|不准|不允许|禁止|严禁|请勿|切勿|别|避免)\s*(?:再)?(?:在|于|对|给|为|向|通过|直接).+$")
_LEAD = re.compile(
    r"^(?:\s*(?:目前|现在|因此|所以|但是|不过|其中|另外|此外|同时|然后|而且|并且|后来|最近|昨天|今天|明天|前天|上周|本周|下周|上个月|去年|今年|当时|这次|上次|据说|听说|发现|我觉得|我认为|我猜|可能是?|大概是?|好像|似乎|也许|估计|原来|其实|首先|最后|接着|"
    r"比如|例如|注意|请注意|记住|请记住|另一方面|总之|实际上|事实上|由此|而|但|且|并|则|那么|我们发现|经排查|排查后|经过排查|排查发现|结果|最终|终于|如果|每天|每晚|请(?!求|假)))+\s*[,，:：]?\s*"
)
_RIGHT_LEAD = re.compile(r"^(?:\s*(?:了|过|着|到|一个|一台|一套|一种|一些|一次|一条|一款|一份|这个|那个|该|整个|我们的|公司的|上面的|某个|大量的?|很多|许多|的|名为|叫做|新的))+\s*")
_RIGHT_CUT = re.compile(
    r"(?<=.)\s*(?:来(?!源)|进行|作为|当作|当做|做(?!法)|用来|用于|以(?!太|及)|管理(?!系统|平台|后台|服务|中心|工具|端|员|模块|器)|处理(?!器|服务|系统|平台|模块)|存储(?!服务|系统|平台|引擎|集群|桶|层)|实现|缓存(?!服务|系统|集群|层)|完成|登录(?=\s*$|[,，。])|提供|部署(?!平台|系统|服务)|构建(?!系统|平台|服务|工具)|开发(?!平台|团队|工具|组|框架)|编写|写(?!入服务)|传输(?!服务|层)|"
    r"通信|保存|同步(?!服务|任务|工具|模块)|加速|采集(?!服务|器|系统)|收集|发送|接收|监控(?!系统|平台|服务|中心|大屏|告警)|调度(?!器|系统|平台|服务|中心)|打包|测试(?!环境|平台|团队|用例|组|框架)|验证(?!服务|码)|校验|查询(?!服务|接口)|并(?!发|行)|而|后(?!端|台|管)|时(?!间|区|钟)|之后|之前|以后|以前|才能|才可|才会|就|吗|呢|吧|了(?=\s*$|[,，。])|因为|由于|所以|但是|代替|替换|取代|的时候|上(?=$|运行|执行)|里(?=$)|中(?=$)|等(?=$))"
)
_WEAK_CUTS = frozenset("管理 处理 存储 缓存 部署 构建 开发 编写 传输 通信 保存 同步 加速 采集 收集 发送 接收 监控 调度 打包 测试 验证 校验 查询".split())
"""Verbs that end a Chinese object only when something follows them."""
_JOIN = re.compile(r"\s*(?:、|以及|和|与|及|跟|或者|或|\s&\s)\s*")
_NOT_JOINED = re.compile(r"(?:和平|共和|与会|参与|及时|以及|普及|或者|和解|饱和|总和|中和|温和|缓和|涉及|波及|企及)")
_PRONOUNS = {"我": "actor", "本人": "actor", "我们": "we", "咱们": "we", "我方": "we", "你": "actor", "您": "actor", "大家": "actor", "你们": "actor"}
_THIRD = frozenset("他 她 它 他们 她们 它们 其 这 那 这个 那个 该服务 该系统 此 谁 什么 这里 那里 自己 这样 那样 之 此服务 有 没有 是".split())
_PERSON = re.compile(rf"^(?:[{SURNAMES}][{HAN}]{{1,2}}|[小老阿][{HAN}]|[A-Z][a-z]+(?: [A-Z][a-z]+)*)$")
_TEAM = re.compile(r"(?:团队|小组|部门|组|部|公司|集团|中心|同学|工程师|经理|总监|委员会|我们|用户|他|她|我)$")
_PLACE = re.compile(rf"(?:{PLACES}|{COMPANIES})")

_T = "(?P<a>.+?)"
_U = "(?P<b>.+?)"
_Z = "(?P<b>.+)"
_NEEDED = "取代|代替|替代|替换|顶替"


def _p(needed: str, pattern: str) -> tuple[frozenset[str], re.Pattern[str]]:
    """A pattern, and the characters of which a clause must hold one before it is worth trying."""
    return frozenset(needed), re.compile(pattern)


# (relation, source group, target group, name, pattern over one clause)
_SPECIAL: tuple[tuple[R, str, str, str, tuple[frozenset[str], re.Pattern[str]]], ...] = (
    (R.CAUSES, "b", "a", "是由…导致", _p("由因", rf"^{_T}(?:主要|都|就|可能|应该|大概|好像|其实)*(?:是|乃)(?:主要)?(?:由于|由|因为|因)\s*{_U}\s*(?:所)?(?:导致|引起|造成|引发|触发|带来|产生)的?$")),
    (R.CAUSES, "b", "a", "由…导致", _p("由被因", rf"^{_T}(?:由于|由|被|因为|因)\s*{_U}\s*(?:而|所)?(?:导致|引起|造成|引发|触发)(?:的|了)?$")),
    (R.CAUSES, "b", "a", "原因是", _p("因祸", rf"^{_T}的?(?:根本|主要|直接|真正|最终)?(?:原因|根因|起因|罪魁祸首|元凶)(?:就|可能|应该|大概|其实)*(?:是|在于|为)(?:因为|由于)?\s*{_Z}$")),
    (R.CAUSES, "a", "b", "是…的原因", _p("因祸", rf"^{_T}(?:就|正|可能|应该)*(?:是|乃是)(?:导致|引起|造成|引发)?\s*{_U}的(?:根本|主要|直接|真正|罪魁)?(?:原因|根因|起因|祸首|元凶|诱因)$")),
    (R.CAUSES, "a", "b", "因…而", _p("因由", rf"^(?:因为|由于|因)\s*{_T}\s*(?:而|所以|从而|进而|因此|导致了?|引起了?|造成了?|使得?|致使)\s*{_Z}$")),
    (R.CAUSES, "b", "a", "因…而2", _p("因由", rf"^{_T}(?:因为|由于|因)\s*{_U}\s*而(?P<c>.+)$")),
    (R.CAUSES, "b", "a", "是因为", _p("因源由缘自", rf"^{_T}(?:主要|就|可能|应该|大概|好像|其实)*(?:是因为|是由于|源于|源自|起因于|归因于|归咎于|来自于|缘于)\s*{_Z}$")),
    (R.REPLACES, "a", "b", "用…代替", _p("代替顶", rf"^(?:.*?)(?:使用|(?<![应信费通公复专商作占适])用|以|拿|采用|改用)\s*{_T}\s*(?:来|去)?(?:完全|全面|逐步|直接|彻底)*(?:{_NEEDED})(?:掉)?(?:了(?!$))?\s*(?P<b>(?!了$).+)$")),
    (R.REPLACES, "b", "a", "被…取代", _p("代替顶", rf"^{_T}(?:已经|已|将|会|逐渐|逐步|完全|全面|终于|最终|正在|正)*(?:被|由)\s*{_U}\s*(?:所|完全|全面|逐步|逐渐)*(?:{_NEEDED})(?:掉)?(?:了|的)?$")),
    (R.REPLACES, "b", "a", "从…到", _p("从由", rf"^(?:.*?)(?:从|由)\s*{_T}\s*(?:全面|逐步|整体|平滑|成功|全部|完全|直接)*(?:迁移|切换|更换|替换|转换|升级|过渡|换|改|切|转|迁|搬)(?:了)?(?:到|至|成|为|用|向)(?:了)?\s*{_Z}$")),
    (R.REPLACES, "b", "a", "把…换成", _p("把将", rf"^(?:.*?)(?:把|将)\s*{_T}\s*(?:全面|逐步|整体|平滑|成功|全部|完全|直接|都|统一)*(?:迁移|切换|更换|替换|转换|替|换|改|切|转)(?:了)?(?:到|至|成|为)(?:了)?\s*{_Z}$")),
    (R.REPLACES, "a", "b", "是…的替代品", _p("替继后接", rf"^{_T}是\s*{_U}的(?:替代品|替代者|替代方案|替代|继任者|后继者|接班人|替换方案|后继)$")),
    (R.OWNS, "a", "b", "是…的负责人", _p("人者员管组长导rR理师任", rf"^{_T}(?:就|现在|目前|仍|仍然|也)*(?:是|担任|任|当|成为)(?:了)?\s*{_U}的?(?:技术|总|主要|第一|现任|产品)?(?:负责人|维护者|管理员|主管|owner|Owner|组长|主管人|拥有者|所有者|带头人|经理|架构师|leader|Leader|总监|队长|部长|主任)$")),
    (R.OWNS, "b", "a", "负责人是", _p("人者员管组r", rf"^{_T}的?(?:技术|总|主要|现任|产品)?(?:负责人|维护者|管理员|主管|owner|Owner|组长|所有者|拥有者)(?:现在|目前)?(?:是|为|叫|改为|换成)(?:了)?\s*{_Z}$")),
    (R.OWNS, "b", "a", "由…负责", _p("由归交", rf"^{_T}(?:目前|现在|一直|主要|统一|都|全部|仍|改)*(?:由|归|交由|交给)\s*{_U}\s*(?:来|全权|统一|专门|主要|共同)*(?:负责|维护|管理|运维|掌管|主管|牵头|主导|拥有|领导|带领|运营|管|所有)(?:的|着)?$")),
    (R.PART_OF, "a", "b", "是…的一部分", _p("部员环件块统", rf"^{_T}(?:也|都|只|仅|就)*是\s*{_U}的?(?:一个|一名|核心|重要|关键)?的?(?:一部分|一员|一环|组成部分|子模块|子系统|子服务|子项目|子公司|组件|成员|部件|模块|插件)$")),
    (R.PART_OF, "b", "a", "由…组成", _p("组构", rf"^{_T}(?:主要|共)?由\s*{_U}\s*(?:等)?(?:[一二三四五六七八九十两\d]+(?:个)?(?:部分|模块|组件|服务))?(?:共同)?(?:组成|构成)(?:的)?$")),
    (R.FIXES, "b", "a", "通过…解决", _p("通靠由被用借依", rf"^{_T}(?:已经|已|可以|可|最终|终于|最后|后来|能)*(?:通过|靠|由|被|用|借助|依靠)\s*{_U}\s*(?:得到了?|得以|来|而|成功|彻底|给)*(?:修复|解决|修好|消除|搞定|缓解)(?:了|的|好了?)?$")),
    (R.FIXES, "a", "b", "通过…解决了", _p("通靠用", rf"^(?:我们|他们|团队|最终|最后|终于)*(?:通过|靠|用)\s*{_T}\s*(?:成功|彻底|最终|来|就)*(?:可以|能)?(?:修复|解决|修好|消除|搞定|缓解)(?:了|掉)?\s*{_Z}$")),
    (R.PRODUCES, "b", "a", "由…生成", _p("由", rf"^{_T}(?:都|均|是|全部)*由\s*{_U}\s*(?:自动|统一|定期|每天|每晚)*(?:生成|产生|输出|产出|发布|导出|写入|创建|打印)(?:的|出来的?)?$")),
    (R.USES, "b", "a", "被…使用", _p("被", rf"^{_T}(?:也|都|正|已|同时)*被\s*{_U}\s*(?:所|广泛|频繁|直接)*(?:使用|调用|采用|引用|消费|订阅)(?:了|着)?$")),
    (R.DEPENDS_ON, "b", "a", "被…依赖", _p("被", rf"^{_T}(?:也|都|正|同时)*被\s*{_U}\s*(?:所|强|直接)*依赖(?:着)?$")),
    (R.DEPENDS_ON, "a", "b", "建立在…上", _p("在", rf"^{_T}(?:是|都)*(?:建立|构建|搭建|架设|开发|建)在\s*{_U}\s*(?:的)?(?:基础)?(?:之)?上(?:的)?$")),
    (R.DEPENDS_ON, "a", "b", "由…驱动", _p("由", rf"^{_T}(?:是|都)*由\s*{_U}\s*(?:来)?(?:驱动|支撑|提供支持|承载|提供动力)(?:的)?$")),
    (R.DEPENDS_ON, "b", "a", "没有…无法", _p("没缺离", rf"^(?:如果|一旦|要是)?(?:没有|没了|缺少|缺了|离开了?)\s*{_T}\s*(?:的话)?[,，]\s*{_U}\s*(?:就|便|将|则|会)*(?:无法|不能|没法|跑不起来|起不来|不可以|不工作|启动不了|用不了|运行不了)(?P<c>.*)$")),
    (R.DEPENDS_ON, "a", "b", "离了…不行", _p("没缺离", rf"^{_T}(?:在)?(?:没有|缺少|离开了?|缺了)\s*{_U}\s*(?:的情况下|时|就|便|将|则|会)*(?:无法|不能|没法|跑不起来|起不来|不工作|启动不了|运行不了)(?P<c>.*)$")),
    (R.PRECEDES, "a", "b", "在…之前", _p("前", rf"^{_T}(?:必须|需要|要|应该|应|会|总是|都|只能)*(?:在|于)\s*{_U}\s*(?:之前|以前|前)(?:就|先|必须|需要|要|应该|应)*(?:执行|运行|完成|进行|启动|发生|开始|上线|发布|结束|跑|做|触发|部署|调用|加载|初始化)?(?:完|好|的|了)?$")),
    (R.PRECEDES, "b", "a", "在…之后", _p("后", rf"^{_T}(?:必须|需要|要|应该|应|会|总是|都|只能)*(?:在|于)\s*{_U}\s*(?:完成|结束|执行|运行|成功)?(?:之后|以后|后)(?:再|才|才能|就|必须|需要|要|才会|立即)*(?:执行|运行|完成|进行|启动|发生|开始|上线|发布|结束|跑|做|触发|部署|调用|加载|初始化)?(?:完|好|的|了)?$")),
    (R.PRECEDES, "a", "b", "先…再", _p("先", rf"^(?:.{{0,6}}?)先\s*{_T}\s*[,，]?\s*(?:然后再|然后|之后再|后再|再|接着|随后)\s*{_Z}$")),
    (R.PRECEDES, "b", "a", "…之前先", _p("前", rf"^(?:在)?\s*{_T}\s*(?:之前|以前|前)\s*[,，]?\s*(?:一定要|务必|必须|需要|应该|应当|应|要|请|都|得|会|记得|我们)*先?(?:要|做|进行|执行)?\s*{_Z}$")),
    (R.PRECEDES, "a", "b", "…之后", _p("后", rf"^(?:在)?\s*{_T}\s*(?:完成|结束|执行完|跑完)?(?:之后|以后|完成后|结束后|后)\s*[,，]?\s*(?:才能|才会|才|再|就|会|立即|自动|必须|需要|要|系统会)+\s*{_Z}$")),
    (R.PRECEDES, "a", "b", "先于", _p("先早", rf"^{_T}(?:先于|早于|领先于)\s*{_U}(?:执行|运行|完成|启动|发生|上线)?$")),
    (R.PRECEDES, "b", "a", "晚于", _p("晚后紧", rf"^{_T}(?:晚于|后于|紧随|紧跟)\s*{_U}(?:执行|运行|完成|启动|发生|上线|之后)?$")),
    (R.LOCATED_IN, "a", "b", "在…工作", _p("在", rf"^{_T}(?:目前|现在|一直|都|也|常年|已经)*在\s*{_U}\s*(?:的\s*(?P<c>.+?)\s*)?(?:工作|办公|上班|生活|居住|任职|就职|读书|上学|出差|定居)(?:了|着)?$")),
    (R.LOCATED_IN, "a", "b", "在…上运行", _p("在", rf"^{_T}(?:目前|现在|一直|都|也|只|仅)*在\s*{_U}\s*(?:上|中|里|内|之上)?(?:运行|部署|托管|执行|跑|存放|存储)(?:着|的|了)?$")),
    (R.LOCATED_IN, "a", "b", "在", _p("在", rf"^{_T}(?:目前|现在|都|也|就|还)*(?<![放署行存装跑住落挂建设管储作生写留搬迁])在\s*(?P<b>(?:{PLACES})[{HAN}]{{0,6}}|\d+\.\d+\.\d+\.\d+\S*|/[\w./-]+)\s*(?:上|里|中|下)?$")),
    (R.USES, "a", "b", "用…写", _p("用由", rf"^{_T}(?:主要|都|全部|完全)*(?:是)?(?:由|用|使用|采用)\s*{_U}\s*(?:来)?(?:语言)?(?:编写|开发|实现|写|搭建|构建|做|写成)(?:的|而成|成)?$")),
    (R.USES, "a", "b", "通过…调用", _p("通经借用使走", rf"^{_T}(?:会|都|主要)*(?:通过|经由|借助|用|使用|走)\s*(?P<c>.+?)\s*(?:来|去)?(?:直接|远程|异步|同步)*(?:调用|访问|连接|请求|查询|对接)(?:了)?\s*{_Z}$")),
    (R.AVOIDS, "a", "b", "宁愿…也不", _p("宁", rf"^(?P<a>.*?)(?:宁愿|宁可|宁肯)(?:使用|用)?\s*(?P<c>.+?)\s*也不(?:愿意?|想|会|肯)?(?:使用|用)?\s*{_Z}$")),
)

# (relation, reverse, words, needs)
_VERBS: tuple[tuple[R, bool, str, str], ...] = (
    (R.CAUSES, False, "导致|引起|造成|引发|触发|致使|使得|诱发|招致|酿成|拖垮|压垮|打垮|打爆|拖慢|害得", ""),
    (R.FIXES, False, "修复|解决|修好|搞定|消除|排除|根治|化解|缓解|修正", ""),
    (R.REPLACES, False, _NEEDED, ""),
    (R.DEPENDS_ON, False, "强依赖于|强依赖|弱依赖|依赖于|依赖|依靠|离不开|有赖于|取决于|基于|需要用到|需要依赖|需要|要求|仰赖|靠着", ""),
    (R.PREFERS, False, "更喜欢使用|更喜欢用|更喜欢|最喜欢|喜欢使用|喜欢用|喜欢|偏好使用|偏好|偏爱|更愿意用|更愿意使用|倾向于使用|倾向于用|倾向使用|倾向于|习惯使用|习惯用|习惯于|习惯了用|习惯|钟爱|热爱|爱用|首选|青睐|偏向于?用?|推崇|钟情于", ""),
    (R.AVOIDS, False, "讨厌使用|讨厌用|讨厌|反感|抵触|弃用|停用|废弃|放弃使用|放弃|淘汰|下架|摒弃|规避|避免使用|避免用|拒绝使用|拒绝用|禁用|抛弃", ""),
    (R.USES, False, "改用|换用|转用|换成|改为使用|改成|切换到|切换成|迁移到|迁移至|切到|使用|采用|选用|沿用|运用|利用|借助|调用|接入|引入|集成|对接|连接到|连接|访问|查询|订阅|消费|用的是|用着|用", ""),
    (R.PART_OF, False, "隶属于|归属于|从属于|属于|归入|并入|嵌入到|内嵌于", ""),
    (R.PART_OF, True, "包含|包括|含有|涵盖|囊括|下设|下辖|内含|内置", ""),
    (R.PRODUCES, False, "生成|输出|产生|产出|发布|导出|打印|上报|推送|吐出|写出|发出|创建", "thing"),
    (R.OWNS, False, "负责维护|负责管理|负责|拥有|掌管|主管|牵头|主导", ""),
    (R.OWNS, False, "维护|管理|运维|带领|领导|主持|运营", "agent"),
    (R.LOCATED_IN, False, "位于|坐落于|坐落在|部署在|部署到|部署于|运行在|运行于|托管在|托管于|存放在|存放于|存储在|存储于|存在|保存在|保存到|跑在|放在|安装在|安装到|设在|住在|居住在|驻扎在|定居在|搬到|搬去|迁往|落在|布署在|装在|挂载在|挂载到|建在|扎根于|就职于|任职于|工作于", ""),
)
_TRIGGER = [
    (relation, reverse, needs, re.compile("|".join(sorted(words.split("|"), key=len, reverse=True)).replace("于?用?", "(?:于)?(?:用)?")))
    for relation, reverse, words, needs in _VERBS
]
_FALSE_USE = re.compile(r"(?:信|费|应|通|公|复|专|商|启|禁|停|作|引|占|适|常|可|有|试|滥|耐|实|备|军|民|代|佣|借|挪|食|饮|器|家|好|不|调|利|使|采|选|引|沿|运|换|改|转|弃|爱|惯)用|用(?:户|例|量|途|法|处|品|餐|工|心|力|来|于|以)")


def find_relations(text: str, actor: str, *, person: bool = False) -> list[Link]:
    """Return the relations that a Chinese sentence states.

    Args:
        text: One sentence.
        actor: Who "我" is, and who an order without a subject is addressed to.
        person: "我们" is the actor too.
    """
    return _Reader(actor, person=person).read(text)


class _Reader:
    """Reads a sentence clause by clause, remembering the last subject."""

    def __init__(self, actor: str, *, person: bool) -> None:
        self.actor = actor
        self.person = person
        self.subject: tuple[str, ...] = ()
        self.links: dict[tuple[str, R, str], Link] = {}

    def read(self, text: str) -> list[Link]:
        clauses = [clause.strip() for clause in _CLAUSE.split(text)]
        clauses = [clause for clause in clauses if clause]
        skip = False
        for index, clause in enumerate(clauses):
            if skip:
                skip = False
                continue
            following = clauses[index + 1] if index + 1 < len(clauses) else ""
            if following and self._pair(clause, following):
                skip = True
                continue
            self._clause(clause)
        return list(self.links.values())

    # --- two clauses

    def _pair(self, first: str, second: str) -> bool:
        """Relations between clauses. True when both are used up."""
        opened = re.match(r"^(?:因为|由于|因)\s*(?P<cause>.+)$", first)
        closed = re.match(r"^(?:所以|因此|因而|于是|从而|进而|故而|导致了?|造成了?|引起了?|才导致)\s*(?P<effect>.+)$", second)
        if opened and not re.search("导致|引起|造成", first):
            effect = closed["effect"] if closed else second
            self._emit(opened["cause"], R.CAUSES, effect, "zh:因为…所以" if closed else "zh:由于", 0.85)
            return True
        if closed:
            verb = re.match(r"导致|造成|引起|才导致", second)
            self._clause(first)
            self._emit(first, R.CAUSES, closed["effect"], "zh:" + (verb.group() if verb else "所以"), 0.8 if verb else 0.7)
            return True
        reason = re.match(r"^(?:这)?(?:主要)?(?:是)?(?:因为|由于|原因是)\s*(?P<cause>.+)$", second)
        if reason:
            self._emit(reason["cause"], R.CAUSES, first, "zh:因为", 0.8)
            return True
        than = _THAN.match(f"{first}，{second}")
        if than:
            for subject in self._subjects(than["who"]) or (self.actor,):
                self._add(subject, R.PREFERS, self._object(than["more"], R.PREFERS), "zh:比起")
                self._add(subject, R.AVOIDS, self._object(than["less"], R.AVOIDS), "zh:比起")
            return True
        for relation, source, target, name, (_, pattern) in _PAIRED:
            match = pattern.match(f"{first}，{second}")
            if match:
                self._emit(match[source], relation, match[target], f"zh:{name}", 0.75)
                return True
        return False

    # --- one clause

    def _clause(self, clause: str) -> None:
        lead = _LEAD.match(clause)
        body = clause[lead.end() :] if lead and lead.end() < len(clause) else clause
        characters = frozenset(body)
        for relation, source, target, name, (needed, pattern) in _SPECIAL:
            match = None if needed.isdisjoint(characters) else pattern.match(body)
            if match is None or not self._special_fits(relation, name, match, body):
                continue
            a, b = match[source], match[target]
            if name == "宁愿…也不":
                subject = self._subjects(match["a"]) or (self.actor,)
                for who in subject:
                    self._add(who, R.PREFERS, self._object(match["c"], R.PREFERS), f"zh:{name}")
                    self._add(who, R.AVOIDS, self._object(match["b"], R.AVOIDS), f"zh:{name}")
                return
            if name == "因…而2":
                a, b = match["b"], match["a"] + match["c"]
            if name == "在…工作" and match["c"]:
                b = match["b"]
            self._emit(a, relation, b, f"zh:{name}", 0.9)
            return
        self._verb(body)

    def _special_fits(self, relation: R, name: str, match: re.Match[str], body: str) -> bool:
        if relation is R.REPLACES and (re.match(r"\s*v?\d", match["b"]) or re.search(r"(?:端口|版本|时间|超时|地址|大小|密码|数量|上限|时长|间隔|名称|名字)\s*$", match["a"])):
            return False
        if name in {"用…写"}:
            return bool(re.match(r"\s*[A-Za-z`]", match["b"])) and len(match["b"]) <= 24
        if name == "由…导致":
            return not match["a"].endswith(("自", "经", "理"))
        if name in {"在…之前", "在…之后"} and re.search("位于|部署|住", match["a"]):
            return False
        if name == "…之后" and len(match["a"]) > 14:
            return False
        if name == "…之前先":
            return len(match["a"]) <= 14 and not re.search("目前|以前|当前|提前", body)
        if re.search("不(?:是|由|被|在)", match["a"][-2:]):
            return False
        return True

    def _verb(self, body: str) -> None:
        best: tuple[int, int, re.Match[str], R, bool, str] | None = None
        for rank, (relation, reverse, needs, pattern) in enumerate(_TRIGGER):
            for match in pattern.finditer(body):
                if match.group() == "用" and self._false_use(body, match.start()):
                    continue
                if not body[match.end() :].strip(" 的了。"):
                    continue
                if match.group() in {"维护", "管理", "运营", "运维"} and not self._agent(body[: match.start()]):
                    continue
                if match.group() == "需要" and re.match(r"\s*(?:先|再|被|在|将|把|对|重新|进行|注意|更新|升级|修改|检查|等|手动|定期|人工|同时)", body[match.end() :]):
                    continue
                order = 0 if relation in {R.CAUSES, R.FIXES} else 1
                key = (order, match.start())
                if best is None or key < (best[0], best[1]):
                    best = (order, match.start(), match, relation, reverse, needs)
                break
            if best is not None and best[0] == 0 and rank >= 1:
                break
        if best is None:
            return
        _, _, match, relation, reverse, needs = best
        self._state(body[: match.start()], relation, body[match.end() :], match.group(), reverse=reverse, needs=needs)

    def _false_use(self, body: str, at: int) -> bool:
        return any(found.start() <= at < found.end() for found in _FALSE_USE.finditer(body, max(0, at - 1), at + 2)) and body[max(0, at - 1) : at + 1] != "不用"

    def _agent(self, left: str) -> bool:
        bare = _TAIL.sub("", left).strip()
        return bool(_PERSON.match(bare) or _TEAM.search(bare))

    def _state(self, left: str, relation: R, right: str, verb: str, *, reverse: bool, needs: str) -> None:
        if relation is R.USES and (re.match(r"(?:改成|换成|切换到|切换成|迁移到|迁移至|切到)", verb) and re.search("[把将]", left) or re.match(r"\s*v?\d", right)):
            return
        negated = _NEG_TAIL.search(left) or _NEG_PLACE.search(left)
        if negated:
            left = left[: negated.start()]
        if re.match(r"\s*(?:不了|不着|不到)", right):
            return
        subjects = self._subjects(left, whole=relation in {R.CAUSES, R.FIXES})
        if subjects is None:
            return
        if not subjects:
            if self.subject and not (relation is R.USES and negated and not self.subject):
                subjects = self.subject
            elif relation in {R.USES, R.PREFERS, R.AVOIDS}:
                subjects = (self.actor,)
            else:
                return
        if negated:
            if relation in {R.USES, R.PREFERS} or (relation is R.DEPENDS_ON and re.search("不要|别|禁止|避免|切勿", negated.group())):
                relation = R.AVOIDS
            else:
                self.subject = subjects
                return
        if needs == "thing" and all(_PERSON.match(subject) and not subject.isascii() for subject in subjects):
            return
        objects = self._objects(right, relation)
        for subject in subjects:
            for target in objects:
                source, aim = (target, subject) if reverse else (subject, target)
                self._add(source, relation, aim, f"zh:{verb}")
        if relation in {R.USES, R.PREFERS}:
            rather = re.search(r"(?:而不是|而非|胜过|多于|而不用|，?不是)(?:使用|用)?\s*(.+)$", right)
            if rather:
                for subject in subjects:
                    self._add(subject, R.AVOIDS, self._object(rather.group(1), R.AVOIDS), "zh:而不是")
        self.subject = subjects

    # --- phrases

    def _subjects(self, left: str, *, whole: bool = False) -> tuple[str, ...] | None:
        """Return the subjects in the words before a verb: empty when there are none, None when they name nothing."""
        bare = _TAIL.sub("", left).strip(" “”\"'`、,，")
        lead = _LEAD.match(bare)
        if lead:
            bare = bare[lead.end() :]
        bare = _RIGHT_LEAD.sub("", bare).strip()
        bare = re.sub(r"(?:的时候|时)$", "", bare)
        if not bare:
            return ()
        if bare in _PRONOUNS:
            return (self._pronoun(bare),)
        if bare in _THIRD:
            return self.subject or None
        bare = re.sub(r"^(?:我们的?|我的|公司的?|在)(?=.{2,})", "", bare)
        if len(bare) > 40 or not re.search(r"\w", bare):
            return None
        parts = _JOIN.split(bare) if not whole and not _NOT_JOINED.search(bare) else [bare]
        parts = [part.strip() for part in parts if part.strip()]
        return tuple(parts) if all(len(part) <= 24 for part in parts) else None

    def _pronoun(self, word: str) -> str:
        return "我们" if _PRONOUNS[word] == "we" and not self.person else self.actor

    def _objects(self, right: str, relation: R) -> tuple[str, ...]:
        first = self._object(right, relation)
        if not first:
            return ()
        if relation in {R.CAUSES, R.FIXES} or _NOT_JOINED.search(first):
            return (first,)
        return tuple(part.strip() for part in _JOIN.split(first) if part.strip())

    def _object(self, right: str, relation: R) -> str:
        text = _RIGHT_LEAD.sub("", right.strip(" “”\"'`。.!！"), count=1)
        if relation not in {R.CAUSES, R.FIXES}:
            cut = _RIGHT_CUT.search(text)
            if cut and (text[cut.end() :].strip() or text[cut.start() - 1] < "\u2e80" or cut.group().strip() not in _WEAK_CUTS):
                text = text[: cut.start()]
        text = re.sub(r"(?:的|了|吧|呢|啊|等|上|之上|里|里面|之中)+$", "", text.strip(" “”\"'`。.")) if relation is not R.CAUSES else re.sub(r"(?:的|了|吧|呢|啊)+$", "", text.strip(" “”\"'`。."))
        text = text.strip(" “”\"'`").removesuffix("()")
        if text in _PRONOUNS:
            return self._pronoun(text)
        return "" if text in _THIRD or len(text) > 40 or not re.search(r"\w", text) else text

    def _emit(self, source: str, relation: R, target: str, name: str, confidence: float) -> None:
        whole = relation in {R.CAUSES, R.FIXES, R.PRECEDES}
        sources = self._subjects(source, whole=whole)
        targets = (self._object(target, R.CAUSES if whole else relation),) if whole else self._objects(target, relation)
        targets = tuple(part for item in targets for part in (self._subjects(item, whole=whole) or ()))
        for one in sources or ():
            for other in targets:
                self._add(one, relation, other, name, confidence)
        if sources:
            self.subject = sources if relation not in {R.CAUSES, R.PRECEDES} else self.subject

    def _add(self, source: str, relation: R, target: str, name: str, confidence: float = 0.9) -> None:
        if source and target and source != target:
            self.links.setdefault((source.lower(), relation, target.lower()), Link(source, relation, target, name, confidence))


_THAN = re.compile(r"^(?:比起|相比于?|较之|和|与)\s*(?P<less>.+?)\s*(?:相比|比起来|比)?，(?P<who>.*?)(?:还是|更|比较|会|都)*(?:喜欢|偏好|愿意|倾向于?|偏爱)(?:使用|用)?\s*(?P<more>.+)$")
_PAIRED = tuple(item for item in _SPECIAL if item[3] in {"没有…无法", "先…再", "…之前先"})
