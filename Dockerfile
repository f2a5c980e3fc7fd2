# `record` with its builder, for a machine with an NVIDIA GPU and its container toolkit:
#
#     docker build --tag engine-layer-visualize .
#     docker run --rm --gpus all --volume "$PWD:/work" engine-layer-visualize record model.onnx --output_dir out
#
# TensorRT-RTX is the builder, which also builds without a GPU; `--build-arg BUILDER=tensorrt` takes TensorRT.
# By building this image you accept the licence of that package of NVIDIA's. The image of a release has no builder
# (`--build-arg BUILDER=onnx`): it reads logs, and draws.
FROM python:3.12-slim
ARG BUILDER=record
RUN useradd --create-home --uid 1000 user
COPY . /source
RUN pip install --no-cache-dir "/source[$BUILDER,render,zstd]" && rm -rf /source
USER 1000
WORKDIR /work
ENTRYPOINT ["engine-layer-visualize"]
CMD ["--help"]
