// What CANN's AICPU kernels include: just enough of the framework to run them on one thread.
#pragma once
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <unordered_map>
#include <unsupported/Eigen/CXX11/Tensor>
#include <vector>

using namespace std;

#define KERNEL_LOG_DEBUG(...)
#define KERNEL_LOG_INFO(...)
#define KERNEL_LOG_WARN(...)
#define KERNEL_LOG_ERROR(...)
#define KERNEL_HANDLE_ERROR(code, ...) \
    if ((code) != KERNEL_STATUS_OK) return static_cast<uint32_t>(KERNEL_STATUS_PARAM_INVALID);
#define KERNEL_CHECK_FALSE(condition, code, ...) \
    if (!(condition)) return code;
#define KERNEL_CHECK_NULLPTR(pointer, code, ...) \
    if ((pointer) == nullptr) return code;
#define REGISTER_CPU_KERNEL(name, type)                                     \
    static const bool registered_##name = aicpu::registered([]() {          \
        return static_cast<aicpu::CpuKernel *>(new type);                   \
    });

namespace aicpu {
enum KernelStatus : uint32_t {
    KERNEL_STATUS_OK,
    KERNEL_STATUS_PARAM_INVALID,
    KERNEL_STATUS_INNER_ERROR
};
enum DataType {
    DT_FLOAT,
    DT_FLOAT16,
    DT_INT8,
    DT_INT32,
    DT_UINT8,
    DT_INT16 = 6,
    DT_UINT16,
    DT_UINT32,
    DT_INT64,
    DT_UINT64,
    DT_DOUBLE,
    DT_BOOL,
    DT_COMPLEX64 = 16,
    DT_COMPLEX128,
    DT_BFLOAT16 = 27,
    DT_HIFLOAT8 = 34
};
constexpr DataType DT_FLOAT32 = DT_FLOAT;
constexpr uint32_t kFirstInputIndex = 0, kSecondInputIndex = 1, kThirdInputIndex = 2;
constexpr uint32_t kFirstOutputIndex = 0, kResvCpuNum = 2;
constexpr uint32_t INPUT_NUM2 = 2;

inline int GetSizeByDataType(DataType type) {
    static const map<int, int> sizes{
        {DT_BOOL, 1},    {DT_INT8, 1},    {DT_UINT8, 1},     {DT_INT16, 2},      {DT_UINT16, 2},
        {DT_FLOAT16, 2}, {DT_BFLOAT16, 2}, {DT_INT32, 4},    {DT_UINT32, 4},     {DT_FLOAT, 4},
        {DT_INT64, 8},   {DT_UINT64, 8},  {DT_DOUBLE, 8},    {DT_COMPLEX64, 8},  {DT_COMPLEX128, 16}};
    const auto found = sizes.find(type);
    return found == sizes.end() ? 0 : found->second;
}
inline string DTypeStr(DataType type) { return to_string(type); }

struct TensorShape {
    vector<int64_t> sizes;
    vector<int64_t> GetDimSizes() const { return sizes; }
    int64_t GetDimSize(int32_t axis) const { return sizes[axis]; }
    int32_t GetDims() const { return static_cast<int32_t>(sizes.size()); }
};
struct Tensor {
    void *data;
    DataType type;
    shared_ptr<TensorShape> shape;
    void *GetData() const { return data; }
    DataType GetDataType() const { return type; }
    shared_ptr<TensorShape> GetTensorShape() const { return shape; }
    int64_t NumElements() const {
        int64_t number = 1;
        for (int64_t size : shape->sizes) number *= size;
        return number;
    }
    uint64_t GetDataSize() const { return NumElements() * GetSizeByDataType(type); }
};
struct AttrValue {
    double value;
    float GetFloat() const { return static_cast<float>(value); }
    int64_t GetInt() const { return static_cast<int64_t>(value); }
    bool GetBool() const { return value != 0; }
};
struct CpuKernelContext {
    vector<Tensor> inputs, outputs;
    map<string, AttrValue> attributes;
    Tensor *Input(uint32_t i) const { return const_cast<Tensor *>(&inputs[i]); }
    Tensor *Output(uint32_t i) const { return const_cast<Tensor *>(&outputs[i]); }
    uint32_t GetInputsSize() const { return static_cast<uint32_t>(inputs.size()); }
    uint32_t GetOutputsSize() const { return static_cast<uint32_t>(outputs.size()); }
    string GetOpType() const { return "kernel"; }
    AttrValue *GetAttr(const string &name) const {
        const auto found = attributes.find(name);
        return found == attributes.end() ? nullptr : const_cast<AttrValue *>(&found->second);
    }
};
struct CpuKernel {
    virtual ~CpuKernel() = default;
    virtual uint32_t Compute(CpuKernelContext &) = 0;
};
// Of this library alone: inline functions would share it with the others that are loaded.
static CpuKernel *(*made)() = nullptr;
static bool registered(CpuKernel *(*make)()) {
    made = make;
    return true;
}
struct CpuKernelUtils {
    static uint32_t GetCPUNum(const CpuKernelContext &) { return 4; }
    static uint32_t ParallelFor(
        const CpuKernelContext &, int64_t total, int64_t, const function<void(int64_t, int64_t)> &work) {
        work(0, total);
        return KERNEL_STATUS_OK;
    }
};

// Operands have one shape, so that nothing is broadcast.
enum class BcastShapeType { SAME_SHAPE, X_ONE_ELEMENT, Y_ONE_ELEMENT };
struct Bcast {
    using Sizes = vector<int64_t>;
    Sizes sizes;
    Bcast(const Sizes &x, const Sizes &) : sizes(x) {}
    bool IsValid() const { return true; }
    Sizes XReshape() const { return sizes; }
    Sizes YReshape() const { return sizes; }
    Sizes ResultShape() const { return sizes; }
    Sizes XBcast() const { return Sizes(sizes.size(), 1); }
    Sizes YBcast() const { return Sizes(sizes.size(), 1); }
    int64_t GetBroadcastXIndex(int64_t i) const { return i; }
    int64_t GetBroadcastYIndex(int64_t i) const { return i; }
};

inline uint32_t NormalCheck(CpuKernelContext &, uint32_t, uint32_t) { return KERNEL_STATUS_OK; }
inline bool IsScalar(const vector<int64_t> &shape) { return shape.empty(); }
template <typename T, typename S>
S *PtrToPtr(T *pointer) { return static_cast<S *>(pointer); }
template <typename T, typename S>
int64_t CeilMultiple(T x, S base) { return (static_cast<int64_t>(x) + base - 1) / base; }
// kernel_util.h is not public: this is how the name reads.
template <typename T>
bool IsValueEqual(T a, T b) { return a == b; }
}  // namespace aicpu

extern "C" uint32_t compute(aicpu::CpuKernelContext *context) {
    return unique_ptr<aicpu::CpuKernel>(aicpu::made())->Compute(*context);
}
extern "C" aicpu::CpuKernelContext *context() { return new aicpu::CpuKernelContext; }
extern "C" void release(aicpu::CpuKernelContext *context) { delete context; }
extern "C" void tensor(
    aicpu::CpuKernelContext *context, bool is_input, void *data, int type, int64_t *sizes, int rank) {
    auto shape = make_shared<aicpu::TensorShape>();
    shape->sizes.assign(sizes, sizes + rank);
    (is_input ? context->inputs : context->outputs)
        .push_back({data, static_cast<aicpu::DataType>(type), shape});
}
extern "C" void attribute(aicpu::CpuKernelContext *context, const char *name, double value) {
    context->attributes[name] = {value};
}
