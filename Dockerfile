# The memory service: `hindsight-graph` with its Neo4j, REST and MCP parts, as uid 10001, on a root file system that may be read-only.
# What it writes goes to /data (a volume of uid 10001) and /tmp.

FROM python:3.12-slim-bookworm AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /src
RUN python -m venv /opt/hindsight-graph
COPY requirements.lock pyproject.toml README.md LICENSE ./
# The versions of the lock, without what only tests need.
RUN sed -n 's/^\([A-Za-z0-9._-]*==[^ ;\\]*\).*/\1/p' requirements.lock > constraints.txt
COPY hindsight_graph ./hindsight_graph
RUN /opt/hindsight-graph/bin/pip install --constraint constraints.txt '.[neo4j,server,mcp,client]'

FROM python:3.12-slim-bookworm
RUN groupadd --gid 10001 memory \
    && useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin memory \
    && install -d -o 10001 -g 10001 -m 700 /data
COPY --from=build /opt/hindsight-graph /opt/hindsight-graph
ENV PATH=/opt/hindsight-graph/bin:$PATH \
    HOME=/data \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HINDSIGHT_GRAPH_STORE_URL=sqlite:////data/memory.db
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8712 8713
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=6 \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8712/health', timeout=4)"]
ENTRYPOINT ["hindsight-graph"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8712"]
