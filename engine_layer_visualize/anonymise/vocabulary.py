"""The words that stay when names are replaced: those of TensorRT, ONNX, CUDA and trtexec.

Only these reach the output; names of a network that use the same words keep them.
"""

from __future__ import annotations

import re
from typing import Final

from engine_layer_visualize.trt.myelin_kernels import CONVOLUTION, OTHERS, POINTWISE
from engine_layer_visualize.trt.operators import OPERATORS

# ---- words in names ----------------------------------------------------------------------------

# What TensorRT and its front ends put into names, and the words around names in messages.
_GLUE: Final = """
    acc after alpha and arg as aten aten_ops bb beta BF BFLOAT BFloat bfloat bias BOOL before
    Bool bool Boolean Broadcast bytes castHelper clip clone const constant constantFloat
    constantHalf constantInt copied copy CopyNode dconst DeviceToShapeHost DevicetoShapeHostCopy
    DOUBLE Double double E eigen else_branch false FLOAT Float float for ForeignNode foreignNode
    FP from GB GHz GiB HALF Half half in inf Infinity Input input INT Int int is KB KiB Layer
    layer Layers long MB MHz MiB MLP model ms mye myl mylk myln mylnk NaN nan node not null of
    ONNX onnx ONNXTRT ops Optimizer optional or out Output output prim profile proxy PWN qps
    quantize Reformat reshape Reformatted Reformatting scale sec seconds set ShapeHostToDevice
    ShapeHostToDeviceCopy shapeTensor shuffle squeeze strided Tactic Tensor TensorRT Tensors TF
    then_branch to Total TrainStation trainStation TRT true UINT UInt uint Unnamed unsqueeze us
    weight weights with
"""
# What loggers write before a message.
_LOGGERS: Final = """
    Context Conversion DEBUG DefaultLogger E ERROR F I INFO INTERNAL_ERROR onnxruntime Severity
    tensorflow TensorRT Torch torch_tensorrt TorchScript TRT V VERBOSE W WARNING
"""
# Pieces of the types of layers, runners and fusions: `CaskGemmConvolution`, `MulAddRelu`.
_PIECES: Final = """
    Act Activation Argmax Attention Average Avgpool Block Boxes Cask Cast Causal Concatenation
    Condition Connected Constant Conv Convolution Correlation Cublas Cuda cuda Cudnn Deconv
    Deconvolution Depthwise Dequantize Direct DLA Dynamic Einsum Element Fc Fill Foreign Fully
    Fused Fusing Fusion Gather Gemm Generic Group Head Host Implicit Instance IO Iterator Jit K
    Kernel Kgen Layer Linear Local Loop Lp Lrn LSTM Math Matmul Matrix Max Maxpool Maxr Memcpy
    Memset Minr MLP Mul Multi Multiply Myelin NMS No Node Norm Normalization Op Padding
    Parametric Plugin Point Pool Pooling PW Pwgen QDQ Quantization Quantize Ragged Recurrence
    Recurrent Reduce Reformat Relu Repl Res Resh Reshape Resize Rnn Scale Scatter Scudnn Select
    Shape Shuffle Silu Slice Soft Softmax Sqrt Station Stride Sum Tensor Tile Tiled Top Topk
    Train Tran Transpose Trip Unary Unsqueeze V Vectorized Winograd Wise
"""
# Operations of PyTorch, as words of names that hold `aten_ops.`.
_ATEN: Final = """
    abs adaptive add addmm arange argmax attention avg batch bilinear bmm cat clamp clone
    constant conv convolution copy cumsum d default dim div dot dropout einsum elu embedding eq
    erf exp expand flatten full gather ge gelu group gt hardsigmoid hardswish hardtanh index
    instance int interpolate layer le leaky legit like linear log lt masked matmul max mean min
    mm mul native nd ne nearest neg no norm one ones pad permute pool pow prelu product
    reflection relu repeat reshape rsqrt rsub scalar scaled select sigmoid silu sin slice
    softmax split sqrt squeeze stack std sub sum t tan tanh tensor to topk training transpose
    tril triu unsafe unsqueeze upsample var view where with zeros
"""

# ---- words of messages without names ----------------------------------------------------------

# Warnings, errors, options, phases, memory.
_MESSAGES: Final = """
    A a about above accelerate accuracy accurate across Activation activation actual add adding
    additional affect affected After after All all allocated allocation allocations allocator
    allocators Allow allow already also always an analysis Analyze AND and Another any API api
    APIs Application application are As as assertion assignment ASYMMETRIC at attempt Attempting
    attention Attentions Automatically auxiliary Available available Average average Averages
    Avg avgTiming aware backend bandwidth based BATCH Batch batch be because been before Begin
    begin being below best between bf binding Bindings bits block both bound broadcast Budget
    budget buffer Build build Builder builder BuilderFlag BuilderOptimizationLevel BuildFlag
    Building building buildSerializedNetwork Built built Bus but by bytes Cache cache cached
    caching Calibration calibration Calibrator call calls can cannot CAPABILITY Capability
    capability capture case cask cast cause causing change changed check checking checkSanity
    choice concat
    choose choosing Chose chosen chw clamped class Clock clock closest Code code codeGenerator
    coefficient collect collection common Compatible compatible Compilation compilation compile
    compileGraph compiler complete completed computation Compute compute computeCosts Computing
    condition config configuration conforming Consider consider Constant constant CONSTRAINTS
    Constraints constraints construction consuming Consumption context Controls convert
    converted converting CONVOLUTION core correct costs Could could count cpp CPU cpu create
    Created created creating creation Critical Cross cross ctx cuBLAS cuBLASLt CUDA cuda
    cudaStreamSynchronize cuDNN cudnn current currently D2H Data data dead deadlock Debug debug
    Decomposable deconvolution decreasing deep default Deleting deprecated Deserialization
    deserialization Deserialize deserialize Destinations detailed Detected detected Device
    device Devices DH did different dim dimension dimensions DirectIO directly Disable disable
    Disabled disabled distributed Distributive DLA dla DLACore dlaGlobalDRAM dlaLocalDRAM
    dlaSRAM DLL do does done double down due Dump dumpLayerInfo dumpProfile dupe duplicate
    Duration during Dynamic dynamic dynamicPlugins DynamicQuantize each ECC edge either element
    elements else embedded empty Enable enable Enabled enabled enables encountered encourage End
    end Engine engine engines enough Enqueue enqueue enqueueV ensure entries entry equal
    equivalent Error error errorOnTimingCacheMiss errors estimated
    even event every Example exceed exceeds
    except exception Exclude execution exist exists expected expecting Explicit explicit
    explicitly Export export Exporting exporting exportProfile ExposeDMA fail FAILED Failed
    failed fails failure fall FALLBACK Fallback fallback falling false faster fastest feature
    Features File file filename final find finish Finished finite first fit fits fixed flag
    flags float follow following FOR for Force force Forcing forcing Format format Formats
    formats found FP fp frequency From from full function fused fusing FUSION fusion fusions
    future gemm generate generated Generation generation get getMaxBatchSize given Global global
    GPU gpu Graph graph Graphics group guides H2D half hand handle hardware has have HD help
    helpers Heuristic heuristic high higher hint hits hold holds Host host how hwc I IBuilder
    IBuilderConfig ID Idle IExecutionContext If if ignore ignored ignoreParsedPluginLibs ILogger
    implementation implicit Import import improve in include including incompatible incorrect
    increase Increasing increasing Independence Index index INetworkDefinition infer Inference
    inference inferences info Information initial initialize initialized INormalizationLayer input
    Inputs inputs inside InstanceNorm instead insufficient int intermediate Internal internal
    into Invalid invalid io is issue issues it iteration Iterations iterations its JIT JSON
    kADJUST kBF kDIRECT kDLA keep kENABLE Kernel kernel kernels kERROR kEXPLICIT kFP kGPU kINT
    kINTERNAL known kOBEY kPREFER kREJECT kREPORT kSAFE kSTRICT kTF kVERBOSE kWARNING kWEIGHT
    large larger last Latency latency later latest layer layer_names_only layernorm
    LayerPrecisions layers lead Lean least left legacy length less Level level libnvinfer
    Library library limit limited limits linear list Load load loadable Loaded loaded Loading
    loading Local local lock locked locking log loop lost low Lower lower Make manager many Mark
    mark mask match matches Max max MaxAuxStreams maximum MaxTactics may mean Median median
    Memory memory memPoolSize MemUsageChange MemUsageStats merge merging message microseconds
    might milliseconds Min min minimum minTiming mismatch Missing missing Mode mode Model model
    ModelImporter modules Monitor more most MS Multi multi Multi-Device multiple Multithreading
    must Myelin myelin name native natively necessary need needed negative negatively Network
    network NetworkDefinitionCreationFlag networks never new No no noDataTransfers node nodes
    non None none normal Not not Note note nothing null Number number NVTX O OBEY object obtain
    occur of off ok old on one One Only only ONNX onnx oom op operand operation operations
    operator opset OPT opt optimal Optimization optimization optimizations optimize optimized
    optimizer option Optional optional Options options or order Original original other out
    Output output Outputs outputs outside over overflow OVERRIDE overriding own pad padding pair
    parallel parameter parameters Parse parse parsed parser parsers parsing part pass PASSED
    passed Path path Peak peak Per per Percent Percentile percentile Percentiles perf perform
    Performance performance Persistent persistent phase pick pickTactics placeholder Plan plan
    Platform platform Please please PLUGIN Plugin plugin Plugins plugins point pool pooling
    Pools positive possible power PRECISION Precision precision precisions prefer present
    preserving prevent Preview preview previous print printed printing process producer
    producing Profile profile profiles Profiling profiling profilingVerbosity program
    propagation provide provided put Q QDQ quality QUANTIZATION quantization quantize quantized
    quantizer Random random range rank Rate rate rates Ratio ratio read reason recent
    recommended reduce reduced refer Refit refit refittable reflect reformat reformats
    reformatting region register registered regular remain removal remove removed Removing
    replace reported Reporting representation request Requested requested require required
    requires reset resize resource resources rest Restricted restricted result resulted results
    return returned reuse round run runner RUNNING running Running runs Runtime runtime Safe
    safe Same same sample Save scalar scale scales scheduler Scratch scratch scudnn second
    seconds see select Selected selected selection self Separate separateProfileRun sequence
    serialization serialize serialized served session Set set setDynamicRange setFlag
    setMaxWorkspaceSize setMemoryPoolLimit setPluginsToSerialize Setting setting several Shape
    shape shapes share Shared shared should since single Size size sizes Skip skip SKIPPED
    Skipped skipped Skipping skipping Sleep slice slow slower SM small smaller smallest SMs so
    Some some source sources space sparse Sparsity sparsity specific specified specify Spin
    stability stable stage Standalone standalone standard start STATE State state Static static
    status still stop storage strategy stream STREAMING Streaming Streams streams Strict strict
    stride strides Strip strip strongly structure subgraph submit subnormal subnormalized
    successful such suffer sufficient suggest Summary summary support supported supports sure
    sync synchronization System system Tactic tactic Tactics tactics tacticSharedMem
    TacticSources take taken target Tempfile temporary tensor tensors TF than that The the their
    them then there Therefore these they third This this thread threads through Throughput
    throughput Time time timed timer times Timing timing TimingCache timingCacheFile
    timingCacheMode To to together too tool Total total Trace trace Traceback trained training
    transfer Transfers transfers transpose trtexec true truncated Try try trying two Type type
    typed TYPES Types types Unable unable undefined unexpected Unfused unit units Unknown
    unknown unless unlocked unnecessary unstable UNSUPPORTED Unsupported unsupported until
    unused up update upper usage Use use useCudaGraph Used used user Users uses useSpinWait
    Using using utilization UUID valid validate value values var variable variance vector
    Verbose verbose verbosity verification Version version versions vertical via view violation
    vs Wait wait waiting WAIVED Walltime warm warmUp warmup warning warnings was way Weakly
    Weight weight weightless Weights weights were what when where whether which while Width will
    with within without work Workspace workspace would write written wrong You you Your your
    zero
"""
_DEVICES: Final = """
    A Ada AGX Ampere B Blackwell Device Drive Edition GB GeForce Generation GH GPU Graphics GTX
    H HBM Hopper iGPU Jetson K L Laptop M Max Nano nvgpu NVIDIA NVL NX Orin P PCIE PCIe Pro Q
    Quadro RTX Server SUPER SXM T Tegra Tesla Thor Ti TITAN TX V Workstation Xavier
"""
# Keys and values of a detailed record, and of JSON, outside of names.
_RECORDS: Final = """
    A abs Accumulation Activation add AllowSparse Alpha Arbitrary arg args auto AVERAGE
    AverageCountExcludesPadding averageMs AVG Axes Axis B b Beta Bias BiasAsActInputIdx Bindings
    BlendFactor build build_options C CAST Cast cat CDHW Channel channel CHW CLIP CONCAT const
    Constant Constants Convolution ConvolutionTacticIndex ConvXAsActInputIdx Count count
    DataType Datatype Deconvolution Dequantize Device device device_information DHWC Dilation
    Dimensions displayTimeUnit div DOWN due dur dynamic E Eight eight ElementWise ELU Engine
    Epilogue EventId exp f Fill FirstTranspose Format format Four four Fused Gather GatherAxis
    GELU Groups H HasBias HasDynamicBias HasDynamicFilter HasLog HasReLU HasResidual HasSoftMax
    HasSparseWeights Host HWC i IDENTITY index inference inference_options information Input
    InputArgs Inputs IOMode IsShapeInferenceIO JumpTarget JumpTargetElse JumpTargetThen K k
    KeepDimensions Kernel kEXPLICIT kLINEAR kSAME_UPPER labels LayerType LEAKY_RELU Linear
    linear literal Literals Location log Loop LOWER M major MatrixMultiply MAX max MaxShape
    medianMs Metadata metadata MIN min MinShape Mode model_options mul Multi MYELIN N Name name
    NbInputArgs NbLiterals NbOperations NbOutputVars NbParams NCHW NHWC NONE NoOp Operation
    Operations options OptShape order Origin OutMaps Output Outputs OutputVars P PaddingMode
    ParameterSubType ParameterType Params percentage performance performance_summary ph pid
    Plugin PluginV PointWise pointwise Pooling PoolingType PostPadding pow Power Precision
    PrePadding process PROD ProfileInfo QDQ Quantize R Reduce ReduceAxes REFORMAT RELU relu
    reporting reporting_options ResAsActInputIdx Reshape Resize ROUND Row row S s SAME Scale
    SecondTranspose Select SELU Shape shapes Shift SHUFFLE Shuffle SIGMOID sigmoid SILU Sixteen
    sixteen SLICE Slice SoftMax sort sqrt StreamId Stride stride StrideOrder Strides sub SUM
    summary system_options Tactic TacticName TacticValue TANH tanh Tensors Thirty thirty thread
    tid timeMs traceEvents ts Two two Type UP UPPER v var vectorized W Weights where wide
    WindowSize X x
"""


def _words(*texts: str) -> frozenset[bytes]:
    return frozenset(word.encode() for text in texts for word in re.findall("[A-Za-z]+", text))


_OPERATOR_WORDS: Final = _words(" ".join(OPERATORS))
PIECES: Final = _words(_PIECES, *POINTWISE, *OTHERS, CONVOLUTION) | _OPERATOR_WORDS
NAMES: Final = _words(_GLUE) | _OPERATOR_WORDS
ATEN: Final = _words(_ATEN)
PROSE: Final = _words(_MESSAGES)
DEVICES: Final = _words(_DEVICES)
LOGGERS: Final = _words(_LOGGERS)
_KEYS: Final = _words(_RECORDS)
# A `ConvActPool` has the keys of both its operators, each with a prefix: `ConvKernel`.
_PREFIXED: Final = frozenset(start + key for start in (b"Conv", b"Pooling") for key in _KEYS)
RECORDS: Final = _KEYS | _PREFIXED

_PIECE: Final = re.compile(rb"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def is_of_pieces(word: bytes) -> bool:
    """Whether it is made of words of TensorRT alone, as `CaskGemmConvolution` is."""
    pieces = _PIECE.findall(word)
    return PIECES.issuperset(pieces) and b"".join(pieces) == word


# NVIDIA's kernels; those of plugins bear their authors' names.
KERNEL: Final = re.compile(
    rb"(?:sm\d{2,3}|maxwell|pascal|volta|turing|ampere|hopper|blackwell)_\w+(?:<[\w, :()]*>)?"
)
