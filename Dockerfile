# docker build -t policyscaler .
# The first stage builds everything into one folder; the second has that folder, Python, and no build tool or root.
FROM python:3.12-slim AS build
WORKDIR /src
COPY constraints/ constraints/
RUN python -m venv /build \
    && /build/bin/pip install --no-cache-dir --require-hashes -r constraints/constraints.txt
COPY . .
RUN /build/bin/python -m build --wheel --no-isolation --outdir /dist .
RUN python -m venv /opt/policyscaler \
    && /opt/policyscaler/bin/pip install --no-cache-dir --require-hashes -r constraints/runtime.txt \
    && /opt/policyscaler/bin/pip install --no-cache-dir --no-index --no-deps /dist/*.whl

FROM python:3.12-slim
COPY --from=build /opt/policyscaler /opt/policyscaler
ENV PATH=/opt/policyscaler/bin:$PATH PYTHONDONTWRITEBYTECODE=1
USER 65532:65532
WORKDIR /manifests
ENTRYPOINT ["policyscaler"]
CMD ["--help"]
