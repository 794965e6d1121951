"""Names in Chinese sentences: embedded Latin names, nouns with a technical ending, persons, places, companies."""

import re

from hindsight_graph.extraction.findings import Name
from hindsight_graph.extraction.tokens_en import shape_of
from hindsight_graph.models.enums import EntityType
from hindsight_graph.text.language import HAN
from hindsight_graph.text.lazy import LazyPattern

_LATIN = LazyPattern(
    r"(?<![A-Za-z0-9])(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}(?![A-Za-z0-9])|https?://[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]+"
    r"|`[^`\n]{1,80}`"
    r"|(?:~|\.{0,2})/[A-Za-z0-9_.@+-]+(?:/[A-Za-z0-9_.@+*-]+)*/?"
    r"|#\d+|\.(?:env|[a-z]+rc|[a-z]+ignore)(?![A-Za-z0-9])"
    r"|[A-Za-z_$@][A-Za-z0-9_$]*(?:(?:[.\-/:+#@&]|::|/\.)[A-Za-z0-9_]+)*(?:\+\+|#)?(?:\(\))?"
    r"|\d+(?:\.\d+)+(?:[/:]\d+)?(?:[.-]?[A-Za-z]\w*)?|\d+[A-Za-z]+\d*"
)
_NUMBER_AFTER = LazyPattern(
    r"[ ]?(v?\d+(?:\.\d+)*(?:\.x)?)(?![\d.]*[%A-Za-z])(?!\s*(?:个|台|次|秒|分|小时|天|周|月|年|号|倍|条|人|张|份|名|万|"
    r"亿|千|百|元|点|种|MB|GB|层|节点|位|行|副本|实例))"
)
GENERIC_LATIN = frozenset(
    "bucket key keys bug bugs remove push commit merge review deploy build debug check update add delete app ok api "
    "apis id ids url urls demo log logs test pr mr case list map set get put post http https db ui sdk cpu gpu oom qps "
    "tps json_ "
    "and or not the a an is are to of in on for with it this that we i you he she use uses used by from at as be team "
    "user users server client data code file files job jobs cache pod pods node nodes worker workers issue issues mb "
    "gb kb tb ms hi hello hey thanks thank bye lol pm am vs "
    "email online offline feature features release token tokens host port crash error errors fail failed success true "
    "utc dns gps csv ci cd root select delete insert update run up down start stop install compose exec build get apply "
    "false null none todo fix leader follower meeting ddl kpi okr offer ppt leak".split()
)
_PORT_BEFORE = LazyPattern(r"(?:端口|port)(?:号)?(?:是|为|改为|改成|换成|设为|设成|从|到|：|:|=)?\s*$", re.IGNORECASE)
_PORT_NUMBER = LazyPattern(r"(?<![\d.A-Za-z])(\d{2,5})(?![\d.A-Za-z])")
_PORT_AFTER = LazyPattern(r"\s*(?:号)?端口")
_VERSION_BEFORE = LazyPattern(r"(?:版本|升级|升|降级|降|更新|迁移|换|回滚|改)(?:号)?(?:是|为|到|至|成|从|：|:)?\s*$|从\s*$")

SUFFIXES = {
    **dict.fromkeys(
        "服务 网关 系统 平台 数据库 中心 集群 模块 接口 引擎 中台 服务器 缓存 调度器 处理器 控制器 组件 框架 微服务 "
        "后台 客户端 服务端 监控 看板 仓库 中间件 插件 程序 应用 工具 网站 网络 小程序 大屏 机器人 管道 流水线 队列 "
        "适配器 编译器 解析器 代理 节点 门户 商城 总线".split(),
        EntityType.SERVICE,
    ),
    **dict.fromkeys(
        "团队 小组 部门 事业部 部 组 公司 集团 大学 学院 医院 银行 研究院 研究所 实验室 委员会 基金会".split(),
        EntityType.ORGANISATION,
    ),
}
_SUFFIX = LazyPattern("|".join(sorted(SUFFIXES, key=len, reverse=True)))
_ORG_TAILS = {"部", "组"}
GENERIC = frozenset(
    "注册中心 消息队列 线上数据库 数据库 操作系统 本服务 该服务 此服务 各服务 服务器 客户端 服务端 应用程序 小程序 "
    "测试环境 生产环境 数据中心 子系统 本系统 该系统 新系统 旧系统 老系统 整个系统 主数据库 从数据库 分布式系统 "
    "第三方服务 后端服务 前端应用 "
    "后台服务 云服务 微服务 外部接口 内部接口 公司 我们公司 团队 我们团队 我们部门 全部 内部 外部 局部 顶部 底部 头部 "
    "尾部 分组 数组 这组 一组 缓存 本地缓存 其他服务 相关服务 所有服务 多个服务 两个服务 这个服务 那个服务 个服务 "
    "个系统 个平台 个模块 个接口 "
    "配置中心 缓存集群 数据库集群 集群 测试集群 主节点 从节点 单节点 多节点 个节点 后端团队 前端团队 消息中间件 "
    "开发框架 工具 应用 程序 网络 监控 接口 模块 平台 系统 服务 中心 引擎 节点 代理 仓库 代码仓库 缓存服务 线上服务 "
    "线上系统 自动监控 新服务 旧服务 老服务 反向代理".split()
)
CUT2 = frozenset(
    "依赖 调用 使用 采用 负责 管理 维护 访问 连接 部署 重启 升级 迁移 导致 引起 造成 修复 解决 需要 要求 属于 包含 "
    "包括 通过 由于 因为 所以 但是 如果 我们 你们 他们 大家 他的 我的 喜欢 习惯 不要 禁止 避免 必须 已经 正在 目前 "
    "现在 今天 昨天 明天 上周 下周 本周 "
    "之前 之后 以前 以后 然后 同时 为了 关于 对于 根据 按照 基于 位于 运行 写入 读取 发送 接收 生成 输出 产生 发布 "
    "订阅 推送 存储 保存 查询 请求 代替 替换 取代 换成 改为 改成 改用 切换 引入 接入 对接 开发 设计 编写 测试了 优化 "
    "重构 配置 启动 停止 关闭 打开 创建 删除 "
    "增加 减少 提高 降低 支持 提供 实现 处理 完成 发现 认为 觉得 知道 希望 建议 决定 计划 准备 开始 没有 不再 不能 "
    "取决 决于 登录 不会 可以 能够 应该 可能 大概 好像 一个 一套 一些 这个 那个 这些 那些 每个 所有 各个 其他 另外 以及 "
    "还有 或者 "
    "并且 而且 不过 只是 就是 都是 也是 还是 "
    "等于 来自 加入 离开 参加 工作 担任 成为 称为 叫做 隶属 归属 位居 构成 组成 触发 引发 影响 拖垮 打垮 压垮 击穿 "
    "阻塞 回滚 上线 下线 扩容 缩容 接管 交给 转给 移交 托管 监听 暴露 注册到 上报 汇报 收集 采集 同步 备份 恢复 清理 "
    "释放 占用 消费 生产者 先于 晚于 早于 仅次 "
    "放在 存在 跑在 装在 建在 设在 住在 落在 挂在 写在 用来 用于 关闭 离不开 不开 改造 替代 换掉 淘汰 弃用 迁到 搬到 转到 "
    "切到 出现 发生 遇到 引用 集成 整合 嵌入 内嵌 安装 卸载 卡住 调试 排查 检查 验证 审核 审批 评审 是否 为什么 什么 "
    "怎么 如何 哪个 哪些 有时 经常 一直 总是 "
    "只能 只有 只要 尽量 务必 千万 一定 请勿 切勿 严禁 别用 的话 由此 因此 从而 于是 否则 除了 虽然 尽管 即使 无论 "
    "不管 直到 自从 随着 关键 核心的 部分 一部分 提交 合并 拉取 执行 定位 归零".split()
)
_NOMINAL = frozenset(
    "登录 审批 审核 监控 调度 推送 存储 消费 发布 备份 采集 查询 验证 订阅 同步 测试 集成 托管 优化 计划 设计".split()
)
"""Verbs that before a technical ending are always part of the name."""
NOUN_TOO = frozenset(
    "管理 监控 测试 存储 查询 发布 部署 配置 开发 运行 调度 同步 备份 采集 审核 审批 消费 订阅 推送 处理 收集 排查 "
    "检查 支持 写入 读取 计划 生成 验证 设计 优化 请求 访问 连接 维护 调用 发现 集成 托管 发送 接收 计划 执行 提交 "
    "接入 清理 恢复 切换 回滚 迁移 升级".split()
)
"""Verbs that also stand inside names: "订单管理系统"."""
_CUT1 = frozenset(
    "的了是在和与及把被由对从到用给跟让向为将会能要可已正就才也都还再又很最更太非不没别有该此这那每各某本其或"
    "而但因所以若如则即等着过吗呢吧啊呀，。、：；我你他她它们叫请去来做写读查调连"
)
_PROTECTED = frozenset(
    "用户 在线 对账 对象 信用 应用 通用 公用 复用 费用 从库 主从 和平 对外 对话 对接 给付 为主 到家 有效 有声 可用 "
    "可视 能源 智能 功能 性能 能力 会员 会话 会议 会计 要素 需要 主要 重要 已读 正式 将军 本地 都市 就业 就医 再生 "
    "更新 最优 特别 级别 类别 识别 没收 不动 非结 同和 调度 调试 调查 查询 审查 写作 做市 "
    "读写 读者 阅读 来源 未来 去重 请求 申请 他人 其他 成为 行为 认为 作为 因子 原因 所有 场所 交易所 以太 可以 等级 "
    "平等 过期 过滤 通过 经过 流过 即时 立即 规则 准则 着色 着陆 连接 写入 调用 让利 向量 方向 面向 反向 将来 把控 "
    "被动 由来 自由 路由 理由 到期 到货 到店 报到 达到 有限 拥有 所有 持有 对比 绝对 应对 配对 核对 结对 从业 "
    "还款 还原 归还 偿还 更换 变更 太阳 很多 又拍 非法 非常 可信 可靠 可观 许可 认可 能耗 技能 节能 正则 修正 改正 "
    "校正 已办 要件 摘要 纪要 必要 和解 共和 与会 参与 及时 以及 普及 了解 为了 的确 目的 是否 或者 但是 如果 如何 "
    "在途 存在 现在 所在 内在 潜在 用量 用例 使用 利用 专用 商用 启用 禁用 停用 作用 引用 占用 采用 适用 "
    "请假 请购 聘请 邀请 叫车 叫号 呼叫 去年 过去 写字 读取 订阅读 检查 巡查 侦查 稽查 排查 做账 叫醒 来电 来访 往来 "
    "收入库 才艺 人才 天才 奖给 供给 补给 发给 跟踪 跟单 跟进 让渡 转让 该死 应该 此处 因此 这样 那样 每日 每月 各地 "
    "某些 本月 本周 基本 成本 版本 脚本 样本 文本 资本 日本 根本 其中 其它 等待 等候 着手 们".split()
)
_LOOSE_PREFIX = LazyPattern(
    r"^(?:旧版?|新版?|老|整个|全部|线上|线下|本地|测试环境|生产环境|环境|个|两个|几个|多个|台|套|一台|一套|一个|原来|"
    r"原有|原先|原|现有|当前|最新|首个|主要|核心(?=.{4})|后|前(?!端)|中|上|下|里|时|先|只|仅|全|各|多|几|某|同|其|本|"
    r"该|此|这|那|目前|公司|我们|我司|内|外|并|且|再|若|被|将|已|请|需|便|可|之|以|于|所|个人|通知|"
    r"一|二|三|四|五|六|七|八|九|十|两|万|千|百|点|号|天|日|月|年|次|条|张|份)+(?=.{3})"
)
SURNAMES = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴"
    "夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文欧葛"
    "鲁骆涂焦虞庞屈聂晏辛闵邢岑牟娄耿靳阮冉佟丘覃翟"
    "闫倪严牛温卫韦裴樊霍葛殷岳柯祝祁颜柳章俞施詹"
)
_NOT_GIVEN = (
    "的了是在和与把被由对从到用给跟让向为将会能要可已正就才也都还再又很最更太不没别有该此这那每各某本其或而但因所"
    "若如则即等着过吗呢吧啊呀负管维使喜说住来提发认建开写做推部端务量序据库码志口络线件统台器块址号级类型期间点时"
    "分秒天周月年日前后里上下中内外、，。；：！？“”‘’（）()"
)
_AFTER_NAME = (
    r"(?=负责|是|说|在|和|与|的|喜欢|管理|维护|使用|用|认为|开发|写|提出|提交|发现|住|来自|建议|把|将|也|都|已|正|去|到|会|"
    r"要|想|觉得|表示|担任|带领|领导|主管|接手|参加|加入|离开|修复|解决|部署|升级|重启|设计|创建|联系|推荐|讨厌|偏好|习惯|"
    r"从|昨天|今天|明天|上周|下周|刚|没|不|先生|女士|老师|同学|经理|工程师|总|、|，|,|。|；|;|$|\s|同意|反对|汇报|报告|"
    r"提醒|通知|告诉|拥有|对|被|给|跟|向|让|请|每|常|经常|目前|现在|主导|牵头|编写|实现|完成|买|学|做|爱|出生|毕业|搬|就职|"
    r"任职|跳槽|研究|主持|掌管|运营|批准|审核|评审|接管|教|养|看|打|跑|吃|喝|有|换|改|运维|所|处理|确认|帮忙|跟进|排查|"
    r"只|仅|协助|看一下|反馈|要求|抱怨|指出|讨厌|带队|在(?=[维负管])|执行|一起|共同|分别|合作|联合|同时|于|先|后来|因|由于|"
    r"经|代|兼|转|调)"
)
_PERSON = LazyPattern(rf"(?P<name>(?:欧阳|司徒|诸葛|上官|[{SURNAMES}])[{HAN}]{{1,2}}?|[小老阿][{HAN}]){_AFTER_NAME}")
_BEFORE_PERSON = LazyPattern(
    rf"(?:(?<![{HAN}])|[由和与给让请找是叫问对跟向被的把归说]|同事|工程师|经理|联系|通知|交给|转给|朋友|作者|用户|今天|"
    rf"昨天|目前|现在|因为|负责人|给了|指派给)$"
)
_BEFORE_YU = frozenset("由 对 关 基 位 属 等 处 用 鉴".split())
_NO_PERSON = frozenset(
    "小时 小组 小心 老师 老板 小程 高级 高可 文件 文档 方法 方案 方式 万一 任务 任何 常见 经常 时候 程序 金额 石油 "
    "白天 黄金 马上 高度 高峰 高并 平台 田野 钱包 于是 易用 毛病 方面 史上 段落 温度 文本 文字 小说 小数 老化 老版 "
    "阿里 小米 小红 小型 小于 大于 高于 低于 等于 关于 由于 对于 基于 位于 属于 严重 严格 常用 "
    "万元 万能 文化 高效 高速 江苏 江西 黑龙 龙头 孔子 白色 夏天 金融 马来 雷达 叶子 任意 石头 和服 武汉 温州 常州 "
    "广州 金华 余额 章节 方向 施工 祝你 柳州 钟头 汪汪 何时 何地 何种 如何 顾客 许多 许可 许久 余下 安全 汤圆 孟加 "
    "毛利 陆续 常规 常量 易读 万分 康复 解码 小学 小明 阿姨 老家 老人 小孩 小区 小狗 小猫 小吃 小额 小众 老旧 老款 "
    "方便 万维 焦点 辛苦".split()
) - {"小明", "小红"}
_TITLES = LazyPattern(rf"(?<![{HAN}])(?P<name>[{SURNAMES}](?:工|总|老师|经理|博士|教授|主任|医生|姐|哥))(?=[{HAN}\s，,。]|$)")

PLACES = (
    "北京|上海|广州|深圳|杭州|南京|苏州|武汉|成都|重庆|西安|天津|青岛|大连|厦门|宁波|长沙|郑州|济南|合肥|福州|昆明|"
    "贵阳|南宁|海口|三亚|哈尔滨|长春|沈阳|石家庄|太原|兰州|西宁|银川|乌鲁木齐|呼和浩特|拉萨|无锡|东莞|佛山|珠海|常州|"
    "温州|嘉兴|绍兴|香港|澳门|台北|台湾|高雄|"
    "浙江|江苏|广东|四川|福建|湖北|湖南|山东|河南|河北|云南|贵州|广西|海南|陕西|辽宁|吉林|黑龙江|内蒙古|新疆|西藏|甘肃|"
    "青海|宁夏|中国|美国|英国|法国|德国|日本|韩国|印度|新加坡|加拿大|澳大利亚|俄罗斯|意大利|西班牙|瑞士|瑞典|荷兰|巴西|"
    "泰国|越南|马来西亚|印度尼西亚|"
    "东京|大阪|首尔|纽约|旧金山|洛杉矶|西雅图|硅谷|伦敦|巴黎|柏林|慕尼黑|法兰克福|阿姆斯特丹|莫斯科|悉尼|墨尔本|多伦多|"
    "温哥华|曼谷|迪拜|孟买|中关村|浦东|张江|望京|海淀|朝阳区|弗吉尼亚|爱尔兰|俄勒冈|張家口|张家口|乌兰察布|滨江|余杭|"
    "南山|華東|华东|华北|华南|西南|华中"
)
COMPANIES = (
    "西门子|博世|宝马|奔驰|大众汽车|丰田|本田|松下|诺基亚|爱立信|思科|戴尔|惠普|富士康|格力|海尔|海康威视|旷视|寒武纪|"
    "蔚来|小鹏|唯品会|苏宁|饿了么|高德|爱奇艺|优酷|中国银行|农业银行|中信|中金|阿里云|阿里巴巴|阿里|腾讯云|腾讯|百度|"
    "华为云|华为|字节跳动|字节|美团外卖|美团|京东|拼多多|网易|小米|滴滴|快手|微信支付|企业微信|微信|支付宝|淘宝|天猫|钉钉|飞书|"
    "抖音|微博|知乎|哔哩哔哩|携程|顺丰|蚂蚁集团|蚂蚁|联想|中兴|比亚迪|宁德时代|大疆|商汤|科大讯飞|"
    "谷歌|微软|苹果公司|亚马逊|脸书|英伟达|英特尔|高通|甲骨文|三星|索尼|特斯拉|优步|银联|中国移动|中国电信|中国联通|"
    "工商银行|建设银行|招商银行|平安|又拍云|七牛云|金山云|火山引擎|青云|达摩院"
)
_KNOWN = LazyPattern(f"(?P<org>{COMPANIES})|(?P<place>{PLACES})")
COMPANY = LazyPattern(f"(?:{COMPANIES})(?!文档|表格|多维表格|日历|会议|支付|开放平台|客服|小程序|云|妙记|知识库)")
"""Names of companies and their products that no word cutter may cut."""
_EMPLOYER = LazyPattern(rf"(?<=在)(?P<name>[{HAN}]{{2,5}}?)(?=工作|上班|任职|就职|实习)")
_CONCEPT = LazyPattern(
    "内存泄漏|内存泄露|内存溢出|空指针异常|缓存穿透|缓存雪崩|缓存击穿|数据倾斜|慢查询|死锁|主从延迟|消息积压|线程泄漏|连接泄漏"
)
_HAN_RUN = LazyPattern(f"[{HAN}]+")


def find_names(text: str) -> list[Name]:
    """Return the names in a Chinese (or mixed) sentence in order, without overlaps."""
    names = _latin(text)
    for match in _CONCEPT.finditer(text):
        names.append(Name(match.group(), match.start(), match.end(), EntityType.EVENT))
    chunks = _chunks(text)
    known = [
        Name(match.group(), match.start(), match.end(), EntityType.ORGANISATION if match.lastgroup == "org" else EntityType.PLACE)
        for match in _KNOWN.finditer(text)
    ]
    known += [
        Name(match["name"], match.start(), match.end(), EntityType.ORGANISATION)
        for match in _EMPLOYER.finditer(text)
        if not any(name.start < match.end() and match.start() < name.end for name in known)
        and not re.search("[的里中上下家外]|这|那|哪", match["name"])
    ]
    people = _people(text)
    return _without_overlaps([*chunks, *people, *known, *names])


def _people(text: str) -> list[Name]:
    names: list[Name] = []
    match = _PERSON.search(text)
    while match is not None:
        start, end = match.span("name")
        swallowed = match["name"][0] == "于" and text[max(0, start - 1) : start] in _BEFORE_YU
        word = match["name"][:2] in _NO_PERSON
        good = not swallowed and not word and _BEFORE_PERSON.search(text, max(0, start - 4), start) is not None
        if good:
            names.append(Name(match["name"], start, end, EntityType.PERSON))
        match = _PERSON.search(text, end if good else start + 1)
    names += [Name(match["name"], match.start("name"), match.end("name"), EntityType.PERSON) for match in _TITLES.finditer(text)]
    return names


def _without_overlaps(names: list[Name]) -> list[Name]:
    taken: list[Name] = []
    for name in sorted(names, key=lambda name: (name.start - name.end, name.start)):
        if all(name.end <= other.start or name.start >= other.end for other in taken):
            taken.append(name)
    return sorted(taken, key=lambda name: name.start)


def _latin(text: str) -> list[Name]:
    names: list[Name] = []
    skip_to = 0
    for match in _LATIN.finditer(text):
        if match.start() < skip_to:
            continue
        word, end = match.group().rstrip(".,:-/") or match.group(), match.end()
        end = match.start() + len(word)
        if word[0] == "`":
            word, start = word.strip("`"), match.start() + 1
            names.append(Name(word.removesuffix("()"), start, start + len(word), shape_of(word) or EntityType.CODE))
            continue
        if word[0].isdigit():
            if _version_like(text, match.start(), word):
                names.append(Name(word, match.start(), end, EntityType.NUMBER))
            continue
        if word.lower() in GENERIC_LATIN or (len(word) == 1 and not word.isupper()):
            continue
        kind = shape_of(word) or EntityType.SOFTWARE
        if kind is not EntityType.PATH:
            word, end = _joined(text, match.start(), end, kind)
            kind = EntityType.SOFTWARE if kind is EntityType.NUMBER and word[-1].isalpha() and " " in word else kind
        skip_to = end
        names.append(Name(" ".join(word.split()).removesuffix("()"), match.start(), end, kind))
    names.extend(
        Name(match.group(), match.start(), match.end(), EntityType.NUMBER)
        for match in _PORT_NUMBER.finditer(text)
        if _PORT_BEFORE.search(text, max(0, match.start() - 12), match.start()) or _PORT_AFTER.match(text, match.end())
    )
    return names


_NEXT_WORD = LazyPattern(r" (?P<word>[A-Za-z][A-Za-z0-9]*(?:[.-][A-Za-z0-9]+)*)(?![A-Za-z0-9_:/@(=])")
_COMMANDS = frozenset("git npm npx yarn pnpm pip docker kubectl helm make cargo apt brew ssh curl".split())
"""Tools whose next word in lower case is what they are told to do: "git rebase"."""
_HEADS = frozenset("cache server client worker node bucket api job pod".split())
"""General nouns that end a name unless it is a known program, which is a name without them: "Fennden cache"."""
_LONGEST_LATIN = 4
"""Words of a Latin name; longer rows of lower-case words are quoted sentences."""


def _joined(text: str, start: int, end: int, kind: EntityType) -> tuple[str, int]:
    """Take in the further words and the version of a Latin name: "Spring Boot 3.2", "Fennden ledger", "v2.3 gateway"."""
    for _ in range(_LONGEST_LATIN - 1):
        following = _NEXT_WORD.match(text, end)
        if following is None or not _goes_on(text[start:end], following["word"], kind):
            break
        end = following.end()
    version = _NUMBER_AFTER.match(text, end)
    if (
        version is not None
        and (text[end] == " ")
        and not text[max(0, version.start() - 4) : version.start()].lower().endswith("port")
    ):
        end = version.end()
    return text[start:end], end


def _goes_on(name: str, word: str, kind: EntityType) -> bool:
    """Whether a Latin word after a Latin name belongs to it; in lower case it may be a command, or a word of a sentence."""
    if word[0].isupper():
        return name[0].isupper() or " " in name
    if word in _HEADS:
        return shape_of(name) is None
    told = name in _COMMANDS or word in GENERIC_LATIN
    return not told and kind is not EntityType.PERSON and shape_of(word) is not EntityType.PATH


def _version_like(text: str, start: int, word: str) -> bool:
    kind = shape_of(word)
    if kind is not None:
        return True
    return bool(re.fullmatch(r"\d+(?:\.\d+)+", word)) and _VERSION_BEFORE.search(text, max(0, start - 8), start) is not None


def _chunks(text: str) -> list[Name]:
    names: list[Name] = []
    for run in _HAN_RUN.finditer(text):
        at = run.start()
        while True:
            match = _SUFFIX.search(text, at, run.end())
            if match is None:
                break
            at = match.end()
            start = _chunk_start(text, run.start(), match.start())
            chunk = text[start : match.end()]
            loose = _LOOSE_PREFIX.match(chunk)
            if loose is not None and len(chunk) - loose.end() > len(match.group()) + 1:
                start += loose.end()
                chunk = text[start : match.end()]
            inner = text[match.end() : match.end() + 1]
            if len(chunk) - len(match.group()) < 2 or chunk in GENERIC or len(chunk) > 10:
                continue
            if match.group() in _ORG_TAILS and (len(chunk) < 3 or (inner and inner in "署分件队长织成")):
                continue
            if chunk[:2] in {"线上", "测试", "生产", "本地"} and len(chunk) <= 4 + len(match.group()) - 2:
                continue
            names.append(Name(chunk, start, match.end(), SUFFIXES[match.group()]))
    return names


def _chunk_start(text: str, low: int, end: int) -> int:
    """Walk left from a technical ending over the characters that belong to the noun."""
    at = end
    while at > low and end - at < 6:
        pair = text[at - 2 : at] if at - 2 >= low else ""
        if pair in CUT2 and not (
            at == end and (pair in _NOMINAL or (pair in NOUN_TOO and at - 2 > low and text[at - 3] not in _CUT1))
        ):
            break
        character = text[at - 1]
        if character in _CUT1:
            around = (text[at - 2 : at], text[at - 1 : at + 1])
            if not any(word in _PROTECTED for word in around):
                break
        at -= 1
    return at
