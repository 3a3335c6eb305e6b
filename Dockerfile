# syntax=docker/dockerfile:1
FROM maven:3-eclipse-temurin-25 AS build
WORKDIR /build
COPY pom.xml .
COPY config config
COPY prompts prompts
COPY docs/glossary.md docs/glossary.md
COPY src src
RUN --mount=type=cache,target=/build/.m2 mvn -q -B -Dmaven.repo.local=/build/.m2 -Dmaven.test.skip=true package

FROM eclipse-temurin:25-jre
RUN apt-get update && apt-get install -y --no-install-recommends curl && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --home-dir /habitline habitline \
    && mkdir -p /habitline/data /habitline/backups /habitline/exports /habitline/kept \
    && chown habitline /habitline/data /habitline/backups /habitline/exports /habitline/kept \
    && chmod 700 /habitline/data /habitline/backups /habitline/exports /habitline/kept \
    && ln -s kept/erasures.jsonl kept/suppression.key kept/accounts.key /habitline/
WORKDIR /habitline
# Three layers: the libraries, the program, and an AOT cache that makes this Java start exactly
# these files faster.
COPY --from=build /build/target/lib lib
COPY --from=build /build/target/habitline.jar habitline.jar
RUN java -XX:+UseParallelGC -XX:AOTCacheOutput=habitline.aot -Xlog:aot*=error -jar habitline.jar train \
    && test -f habitline.aot
# The flows, rules and prompts that are shipped are in the jar; those of a study are mounted.
ENV HABITLINE_HOME=/habitline HABITLINE_HOST=0.0.0.0
USER habitline
VOLUME /habitline/data /habitline/backups /habitline/exports /habitline/kept
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=3s --start-period=30s \
  CMD curl -fsS http://127.0.0.1:${HABITLINE_PORT:-8080}/health/readiness || exit 1
# The parallel collector needs less processor time than the default one.
ENTRYPOINT ["java", "-XX:+UseParallelGC", "-XX:AOTCache=habitline.aot", "-XX:MaxRAMPercentage=75", "-XX:+ExitOnOutOfMemoryError", "-jar", "habitline.jar"]
