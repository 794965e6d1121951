"""Word lists that both analysers share: known software, people, places, organisations, file endings, units."""

SOFTWARE = frozenset(
    """
    airflow ansible apache argocd aws azure babel bash bazel bigquery bitbucket bootstrap cassandra celery ceph circleci
    clickhouse cloudflare cloudfront cockroachdb codecov confluence consul copilot couchdb crontab curl cypress datadog
    debezium debian deno django docker dockerfile dubbo duckdb dynamodb ec2 elasticsearch elk emacs envoy erlang eslint etcd
    express fastapi ffmpeg figma firebase firefox flask flink fluentd flutter gcp git github gitlab go golang grafana graphql
    grpc gunicorn hadoop haproxy haskell hbase helm heroku hive hystrix influxdb ios istio jaeger java javascript jdk jenkins
    jest jetty jira jmeter jquery jupyter jvm k8s kafka keras kibana kong kotlin kubectl kubernetes lambda langchain laravel
    ldap linux logstash loki lua macos mariadb matplotlib maven memcached mongo mongodb mqtt mysql nacos neo4j netty nextjs
    nginx node nodejs nomad npm numpy oauth openai opensearch openssl openvpn oracle pandas php pinecone pip pnpm podman poetry
    postgres postgresql powershell prisma prometheus pulsar pulumi puppet pycharm pydantic pytest python pytorch qdrant
    rabbitmq rails react redis redux rocketmq rsync ruby rust s3 saml scala scikit-learn scipy seata selenium sentinel sentry
    skywalking sklearn slack snowflake solr sonarqube spark splunk spring sqlalchemy sqlite sqs ssh stripe supabase svelte
    swagger swift systemd tableau tailwind telegraf temporal tensorflow terraform thanos tidb tls tomcat traefik trello
    typescript ubuntu unittest unix uvicorn vault vim vite vue vscode webpack websocket windows wireguard xgboost yarn zabbix
    zookeeper zipkin ollama llama vllm huggingface spacy jieba celery gradle kustomize minio pgbouncer patroni sidekiq resque
    uwsgi caddy varnish mysqldump pg_dump tmux neovim intellij eclipse notion linear asana zoom pagerduty opsgenie okta auth0
    keycloak twilio sendgrid mailchimp shopify salesforce hubspot paypal adyen braintree plaid zsh fish homebrew conda
    miniconda virtualenv pipenv ruff mypy pyright flake8 pylint black isort tox nox mocha chai vitest playwright puppeteer
    storybook electron tauri cargo rustc gcc clang pyarrow dbt logrotate polars dask sqlmesh dagster prefect luigi mlflow
    kubeflow wandb tensorboard onnx onnxruntime cuda cudnn triton pgvector milvus weaviate chroma faiss typesense meilisearch
    algolia solr lucene memcache etcdctl helmfile istioctl k9s k3s minikube containerd runc cri-o buildkit kaniko skopeo
    netdata collectd statsd graphite opentelemetry otel tempo mimir cortex victoriametrics alertmanager blackbox_exporter
    node_exporter cadvisor grpcurl httpie wget nmap tcpdump wireshark iptables nftables firewalld selinux apparmor openldap
    freeipa samba nfs glusterfs zfs btrfs ext4 lvm raid rclone restic borgbackup borg velero pgbackrest barman wal-g flyway
    liquibase alembic hibernate mybatis jpa jooq ktor micronaut quarkus dropwizard vertx akka play phoenix elixir ocaml clojure
    groovy perl fortran cobol matlab julia dart objective-c solidity wasm webassembly wasmtime deno bun pnpm turborepo lerna nx
    rollup esbuild parcel gulp grunt bower sass postcss lodash axios rxjs mobx zustand recoil nuxt gatsby remix astro angular
    ember preact solidjs htmx alpinejs threejs d3 echarts highcharts plotly bokeh seaborn altair streamlit gradio dash
    celerybeat dramatiq huey rq gevent eventlet asyncio aiohttp httpx urllib3 requests_ beautifulsoup scrapy lxml opencv pillow
    nltk gensim transformers sentence-transformers tokenizers peft deepspeed megatron ray rllib optuna hydra click_ typer
    argparse loguru structlog marshmallow attrs cattrs msgpack protobuf avro thrift capnproto flatbuffers parquet_ iceberg hudi
    delta trino presto druid pinot greenplum vertica teradata redshift athena emr sagemaker vertex databricks hdfs yarn_ oozie
    sqoop flume nifi kinesis firehose eventbridge sns ses cognito iam kms waf route53 fargate ecs eks aks gke cloudrun
    openshift rancher tanzu proxmox vmware vsphere kvm qemu xen hyper-v virtualbox vagrant packer saltstack chef cfengine
    teamcity bamboo travis drone woodpecker tekton spinnaker fluxcd flux sonatype nexus artifactory harbor quay jfrog snyk
    trivy grype semgrep bandit codeql dependabot renovate launchdarkly unleash flagsmith posthog mixpanel amplitude segment
    heap_ hotjar fullstory newrelic dynatrace appdynamics instana honeycomb lightstep rollbar bugsnag raygun statuspage
    victorops xmatters freshdesk zendesk intercom typora obsidian evernote todoist clickup basecamp miro lucidchart drawio
    plantuml mermaid mkdocs sphinx docusaurus hugo jekyll pelican wordpress drupal joomla magento prestashop woocommerce odoo
    sap_ netsuite workday llvm cmake make ninja
    """.split()
) - {
    "go",
    "node",
    "express",
    "spring",
    "swift",
    "make",
    "black",
    "spark",
    "hive",
    "oracle",
    "windows",
    "zoom",
    "linear",
    "notion",
    "fish",
    "caddy",
    "slack",
    "slim",
    "conda",
    "vault",
    "sentinel",
    "temporal",
    "lambda",
    "loki",
    "play",
    "phoenix",
    "julia",
    "dart",
    "flux",
    "harbor",
    "chef",
    "drone",
    "segment",
    "amplitude",
    "unleash",
    "heap_",
    "tempo",
    "cortex",
    "delta",
    "ray",
    "hydra",
    "dash",
    "akka",
    "remix",
    "astro",
    "ember",
    "angular",
    "parcel",
    "rollup",
    "gulp",
    "bun",
    "presto",
    "druid",
    "triton",
    "chroma",
    "prefect",
    "dagster_",
    "barman",
    "raid",
    "borg",
    "graphite",
    "mermaid",
    "sphinx",
    "hugo",
    "flume",
    "athena",
    "vertex",
    "bamboo",
    "travis",
    "packer",
    "vagrant",
    "requests_",
    "click_",
    "yarn_",
    "sap_",
    "parquet_",
    "nexus",
    "quay",
    "renovate",
    "bandit",
    "intercom",
    "miro",
    "luigi",
    "attrs",
    "thrift",
    "transformers",
    "pillow",
    "tokenizers",
    "recoil",
    "solidity",
    "honeycomb",
    "tanzu",
    "rancher",
    "perl_",
    "huey",
    "avro_",
    "kong",
    "apache",
    "rails",
    "react",
    "flask",
    "puppet",
    "rust",
    "ruby",
    "helm",
    "jest",
    "bootstrap",
    "eclipse",
    "ninja",
    "nox",
    "tox",
    "chai",
    "mocha",
    "cypress",
    "pulsar",
    "consul",
    "envoy",
    "fluentd",
    "stripe",
    "poetry",
    "celery",
    "copilot",
}
"""Names of software that are no English words, lower case."""

AMBIGUOUS_SOFTWARE = frozenset(
    "go node express spring swift spark hive oracle windows zoom linear notion slack vault sentinel temporal lambda "
    "loki kong apache rails react flask puppet rust ruby helm jest "
    "bootstrap eclipse nox tox mocha cypress pulsar consul envoy stripe poetry celery copilot chrome safari word excel "
    "outlook teams docs sheets drive maven gradle jenkins play phoenix julia dart flux harbor chef drone segment "
    "amplitude unleash tempo cortex delta ray hydra dash remix astro ember angular parcel rollup bun presto druid "
    "triton chroma prefect borg graphite mermaid sphinx hugo flume athena vertex bamboo travis packer vagrant nexus "
    "quay renovate bandit intercom miro luigi thrift honeycomb rancher requests".split()
)
"""Software whose name is also a word: a name only when capitalised."""

FIRST_NAMES = frozenset(
    """
    adam adrian aisha alan albert alex alexander alexandra alice alicia alina alison amanda amber amelia amir amy ana anders
    andre andrea andrew andy angela anita ann anna anne annie anthony anton antonio arthur audrey barbara beatrice ben benjamin
    bernard beth betty bill bob boris brad brandon brenda brian bruce bruno caleb calvin cameron camila carl carla carlos
    carmen carol caroline catherine cathy charles charlie charlotte chen chloe chris christian christina christine christopher
    cindy claire clara claudia colin connor craig crystal cynthia daisy dan dana daniel danny dave david dawn dean deborah
    denise dennis derek diana diane diego dmitri dominic donald donna dora doris dorothy doug douglas dylan ed eddie edgar
    edward elaine elena eli elias elijah elizabeth ella ellen emily emma eric erica erik erin ethan eugene eva evan eve evelyn
    fatima felix fernando fiona florian frances francesca francis frank fred gabriel gary gavin george gerald gina giulia
    gloria greg gregory gustavo hana hannah hans harold harry hassan heather heidi helen helena henry hiroshi howard hugo ian
    igor ines ingrid irene iris isaac isabel isabella ivan jack jackson jacob jake james jamie jan jane janet jason javier jay
    jean jeff jeffrey jen jenna jennifer jenny jeremy jerry jesse jessica jill jim jimmy jo joan joanna joe joel john johnny
    jolene jon jonas jonathan jordan jorge jose joseph josh joshua joyce juan judith judy julia julian julie june justin karen
    karim karl kate katherine kathy katie keith kelly ken kenji kenneth kevin kim kirsten klaus kumar kyle lars laura lauren
    lea leah lee lena leo leon leonard leslie liam lily linda lisa liu logan lorenzo lori louis louise luca lucas lucia lucy
    luis luke lydia marc marco marcus margaret maria mariana marie marilyn mario mark marta martha martin mary mateo matt
    matthew maya megan mehmet mei mel melanie melissa mia michael michelle miguel mike mila mohamed mohammed monica nadia nancy
    naomi natalia natalie nate nathan neil nick nicholas nicole nigel nina noah nora norman olga oliver olivia omar oscar owen
    pablo pam pamela patricia patrick paul paula pedro peggy penny pete peter petra phil philip philippe pierre priya rachel
    raj rajesh ralph ravi raymond rebecca regina renee ricardo richard rick rita rob robert roberto robin rodrigo roger roland
    ron ronald rosa rose roy russell ruth ryan sabrina sally sam samantha samuel sandra sanjay sara sarah scott sean sebastian
    sergei sergey sharon shaun sheila shirley simon sofia sonia sophia sophie stefan stella stephanie stephen steve steven
    stuart sue susan suzanne svetlana sven sylvia takashi tamara tanya tara ted teresa terry theo theresa thomas tiffany tim
    timothy tina todd tom tomas tony tracy travis trevor tyler ursula valentina valerie vanessa vera veronica vicky victor
    victoria vincent virginia vivian vladimir wang walter wanda warren wayne wei wendy wesley william xavier yan yasmin yuki
    yusuf yvonne zach zachary zara zhang zoe
    """.split()
) - {
    "dean",
    "dawn",
    "will",
    "june",
    "rose",
    "mark",
    "drew",
    "crystal",
    "amber",
    "iris",
    "jay",
    "jan",
    "jean",
    "robin",
    "logan",
    "jordan",
    "chen",
    "mei",
    "can",
}
"""Given names, lower case; the ones that are common words stand in `AMBIGUOUS_FIRST_NAMES`."""

AMBIGUOUS_FIRST_NAMES = frozenset(
    "dean dawn june rose mark drew crystal amber iris jay jan jean robin logan jordan chen mei will grace hope faith "
    "joy frank max bill pat rob gene".split()
)

PLACES = frozenset(
    """
    amsterdam athens atlanta austin australia austria bangalore bangkok barcelona beijing belgium berlin bern bonn boston
    brazil brussels budapest california canada chengdu chicago china copenhagen dallas delhi denmark denver detroit dresden
    dubai dublin edinburgh egypt england europe finland florida france frankfurt geneva germany glasgow greece guangzhou
    hamburg hangzhou hanoi helsinki hong-kong houston hungary iceland india indonesia ireland israel istanbul italy jakarta
    japan kenya korea kyoto lagos lisbon london lyon madrid malaysia manchester manila marseille melbourne mexico miami milan
    montreal moscow mumbai munich nairobi nanjing naples netherlands nigeria norway osaka oslo ottawa paris philadelphia
    philippines poland portland portugal prague rome romania russia santiago scotland seattle seoul shanghai shenzhen singapore
    spain stockholm stuttgart sweden switzerland sydney taipei taiwan texas thailand tokyo toronto turin turkey ukraine
    valencia vancouver venice vienna vietnam virginia wales warsaw washington wuhan zurich ohio oregon frankfurt ireland
    """.split()
)
PLACE_PHRASES = frozenset(
    "new york|san francisco|los angeles|hong kong|new zealand|south korea|united states|united kingdom|south africa|"
    "new delhi|san diego|são paulo|tel aviv|las vegas|costa rica|saudi arabia|new jersey|north america|cape town|palo "
    "alto|santa clara".split("|")
)

ORGANISATIONS = frozenset(
    """
    adobe airbnb alibaba amazon anthropic apple atlassian baidu bosch bytedance canonical cisco cloudflare databricks deepmind
    dell ebay facebook google hashicorp huawei ibm intel jetbrains lenovo lyft meta microsoft mozilla netflix nokia nvidia
    openai palantir paypal pinterest qualcomm reddit redhat samsung sap siemens snap sony spotify stripe tencent tesla tiktok
    toyota twitter uber vercel xiaomi zalando
    """.split()
)
ORGANISATION_TAILS = frozenset(
    "corp inc ltd llc gmbh ag plc co company university institute foundation labs bank group corporation technologies "
    "systems".split()
)

FILE_ENDINGS = (
    "yaml|yml|json|jsonl|toml|ini|cfg|conf|config|env|py|pyi|ipynb|js|jsx|ts|tsx|mjs|vue|java|kt|go|rs|rb|php|c|cc|cpp|"
    "h|hpp|cs|swift|scala|sh|bash|zsh|ps1|bat|sql|db|sqlite|csv|tsv|parquet|xlsx?|docx?|"
    "pptx?|pdf|md|rst|txt|log|xml|html?|css|scss|svg|png|jpe?g|gif|webp|mp[34]|wav|zip|tar|gz|tgz|bz2|whl|jar|war|deb|"
    "rpm|lock|proto|tf|tfvars|cypher|pem|crt|key|properties|gradle|service|dockerfile"
)
UNITS = frozenset(
    "s ms us ns sec secs second seconds min mins minute minutes h hr hrs hour hours day days week weeks month months "
    "year years kb mb gb tb pb kib mib gib b bytes byte bit bits k m x % percent hz khz mhz ghz px pt cm mm km kg g mg "
    "lb "
    "usd eur dollars euros am pm qps rps tps fps rpm cores core cpus gpus nodes node pods pod replicas replica times "
    "users requests items rows workers threads retries people of and or".split()
)
MONTHS_AND_DAYS = frozenset(
    "january february march april may june july august september october november december jan feb mar apr jun jul aug "
    "sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mondays tuesdays "
    "wednesdays thursdays fridays saturdays sundays mon tue wed thu fri sat sun "
    "christmas easter halloween thanksgiving".split()
)
GENERIC_ACRONYMS = frozenset(
    "API APIS URL URLS URI ID IDS OK PR PRS MR OS UI UX DB CPU GPU RAM GB MB KB TB TODO FIXME FAQ AM PM UTC GMT CEO "
    "CTO CFO COO HR QA LGTM FYI ASAP EOD ETA OOM I A THE AND OR NOT NO NEVER ALWAYS MUST IMPORTANT WARNING NOTE "
    "ERROR INFO DEBUG TRUE FALSE NULL NONE P0 P1 P2 P3 P50 P90 P95 P99 V1 V2 V3 Q1 Q2 Q3 Q4 SLA SLO MVP POC TBD WIP IT "
    "PC TV USA US UK EU HTTP LOL OMG DIY AKA RSVP DM DO DONT BUT USE SET GET PUT POST DELETE PATCH KPI ROI B2B "
    "CRUD".split()
)
