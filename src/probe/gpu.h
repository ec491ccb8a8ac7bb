// The one header that knows which vendor's runtime is underneath. Sources say gpuMalloc and are
// compiled by nvcc as they are, by hipcc with the same text.
#pragma once

#if defined(__HIPCC__) || defined(__HIP_PLATFORM_AMD__)
#define LF_GPU_HIP 1
#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>
#define LF_GPU_NAME(name) hip##name
#else
#define LF_GPU_CUDA 1
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#define LF_GPU_NAME(name) cuda##name
#endif

#define gpuError_t LF_GPU_NAME(Error_t)
#define gpuSuccess LF_GPU_NAME(Success)
#define gpuGetErrorString LF_GPU_NAME(GetErrorString)
#define gpuGetLastError LF_GPU_NAME(GetLastError)
#define gpuStream_t LF_GPU_NAME(Stream_t)
#define gpuStreamCreateWithFlags LF_GPU_NAME(StreamCreateWithFlags)
#define gpuStreamNonBlocking LF_GPU_NAME(StreamNonBlocking)
#define gpuStreamDestroy LF_GPU_NAME(StreamDestroy)
#define gpuStreamSynchronize LF_GPU_NAME(StreamSynchronize)
#define gpuStreamBeginCapture LF_GPU_NAME(StreamBeginCapture)
#define gpuStreamEndCapture LF_GPU_NAME(StreamEndCapture)
#define gpuStreamCaptureModeThreadLocal LF_GPU_NAME(StreamCaptureModeThreadLocal)
#define gpuGraph_t LF_GPU_NAME(Graph_t)
#define gpuGraphExec_t LF_GPU_NAME(GraphExec_t)
#define gpuGraphLaunch LF_GPU_NAME(GraphLaunch)
#define gpuGraphDestroy LF_GPU_NAME(GraphDestroy)
#define gpuGraphExecDestroy LF_GPU_NAME(GraphExecDestroy)
#define gpuEvent_t LF_GPU_NAME(Event_t)
#define gpuEventCreate LF_GPU_NAME(EventCreate)
#define gpuEventDestroy LF_GPU_NAME(EventDestroy)
#define gpuEventRecord LF_GPU_NAME(EventRecord)
#define gpuEventSynchronize LF_GPU_NAME(EventSynchronize)
#define gpuEventElapsedTime LF_GPU_NAME(EventElapsedTime)
#define gpuMalloc LF_GPU_NAME(Malloc)
#define gpuFree LF_GPU_NAME(Free)
#define gpuHostAlloc LF_GPU_NAME(HostAlloc)
#define gpuHostAllocDefault LF_GPU_NAME(HostAllocDefault)
#define gpuMemcpyAsync LF_GPU_NAME(MemcpyAsync)
#define gpuMemcpyPeerAsync LF_GPU_NAME(MemcpyPeerAsync)
#define gpuMemsetAsync LF_GPU_NAME(MemsetAsync)
#define gpuMemcpyHostToDevice LF_GPU_NAME(MemcpyHostToDevice)
#define gpuMemcpyDeviceToHost LF_GPU_NAME(MemcpyDeviceToHost)
#define gpuMemcpyDeviceToDevice LF_GPU_NAME(MemcpyDeviceToDevice)
#define gpuMemGetInfo LF_GPU_NAME(MemGetInfo)
#define gpuGetDeviceCount LF_GPU_NAME(GetDeviceCount)
#define gpuGetDeviceProperties LF_GPU_NAME(GetDeviceProperties)
#define gpuDeviceGetAttribute LF_GPU_NAME(DeviceGetAttribute)
#define gpuDeviceCanAccessPeer LF_GPU_NAME(DeviceCanAccessPeer)
#define gpuDeviceEnablePeerAccess LF_GPU_NAME(DeviceEnablePeerAccess)
#define gpuDeviceSynchronize LF_GPU_NAME(DeviceSynchronize)
#define gpuDriverGetVersion LF_GPU_NAME(DriverGetVersion)
#define gpuRuntimeGetVersion LF_GPU_NAME(RuntimeGetVersion)
#define gpuSetDevice LF_GPU_NAME(SetDevice)
#define gpuFuncSetAttribute LF_GPU_NAME(FuncSetAttribute)

#if defined(LF_GPU_HIP)
#define gpuHostFree hipHostFree
#define gpuDeviceProp hipDeviceProp_t
#define gpuAttrClockRate hipDeviceAttributeClockRate
#define gpuAttrMemoryClockRate hipDeviceAttributeMemoryClockRate
#define gpuMaxDynamicShared hipFuncAttributeMaxDynamicSharedMemorySize
#define gpuGraphInstantiate(exec, graph) hipGraphInstantiate(exec, graph, nullptr, nullptr, 0)
using bf16 = __hip_bfloat16;
inline constexpr const char* kGpuRuntime = "hip";
#else
#define gpuHostFree cudaFreeHost
#define gpuDeviceProp cudaDeviceProp
#define gpuAttrClockRate cudaDevAttrClockRate
#define gpuAttrMemoryClockRate cudaDevAttrMemoryClockRate
#define gpuMaxDynamicShared cudaFuncAttributeMaxDynamicSharedMemorySize
#define gpuGraphInstantiate(exec, graph) cudaGraphInstantiate(exec, graph, 0)
using bf16 = __nv_bfloat16;
inline constexpr const char* kGpuRuntime = "cuda";
#endif

// The matrix library of the vendor.
#if defined(LF_GPU_HIP)
#include <hipblaslt/hipblaslt.h>
#define LF_BLAS_NAME(name) hipblasLt##name
#define LF_BLAS_CONST(name) HIPBLASLT_##name
#define gpuBlasStatus hipblasStatus_t
#define gpuBlasSuccess HIPBLAS_STATUS_SUCCESS
#define gpuBlasOpT HIPBLAS_OP_T
#define gpuBlasOpN HIPBLAS_OP_N
#define gpuBlasOperation hipblasOperation_t
#define gpuBlasCompute hipblasComputeType_t
#define gpuBlasCompute32 HIPBLAS_COMPUTE_32F
#define gpuBlasComputeTf32 HIPBLAS_COMPUTE_32F_FAST_TF32
#define gpuDataType hipDataType
#define gpuR32 HIP_R_32F
#define gpuR16 HIP_R_16F
#define gpuRb16 HIP_R_16BF
#define gpuR8 HIP_R_8F_E4M3
inline constexpr const char* kBlasName = "hipBLASLt";
#else
#include <cublasLt.h>
#define LF_BLAS_NAME(name) cublasLt##name
#define LF_BLAS_CONST(name) CUBLASLT_##name
#define gpuBlasStatus cublasStatus_t
#define gpuBlasSuccess CUBLAS_STATUS_SUCCESS
#define gpuBlasOpT CUBLAS_OP_T
#define gpuBlasOpN CUBLAS_OP_N
#define gpuBlasOperation cublasOperation_t
#define gpuBlasCompute cublasComputeType_t
#define gpuBlasCompute32 CUBLAS_COMPUTE_32F
#define gpuBlasComputeTf32 CUBLAS_COMPUTE_32F_FAST_TF32
#define gpuDataType cudaDataType_t
#define gpuR32 CUDA_R_32F
#define gpuR16 CUDA_R_16F
#define gpuRb16 CUDA_R_16BF
#define gpuR8 CUDA_R_8F_E4M3
inline constexpr const char* kBlasName = "cuBLASLt";
#endif
#define gpuBlasHandle LF_BLAS_NAME(Handle_t)
#define gpuBlasCreate LF_BLAS_NAME(Create)
#define gpuBlasDestroy LF_BLAS_NAME(Destroy)
#define gpuBlasDesc LF_BLAS_NAME(MatmulDesc_t)
#define gpuBlasDescCreate LF_BLAS_NAME(MatmulDescCreate)
#define gpuBlasDescDestroy LF_BLAS_NAME(MatmulDescDestroy)
#define gpuBlasDescSet LF_BLAS_NAME(MatmulDescSetAttribute)
#define gpuBlasLayout LF_BLAS_NAME(MatrixLayout_t)
#define gpuBlasLayoutCreate LF_BLAS_NAME(MatrixLayoutCreate)
#define gpuBlasLayoutDestroy LF_BLAS_NAME(MatrixLayoutDestroy)
#define gpuBlasPreference LF_BLAS_NAME(MatmulPreference_t)
#define gpuBlasPreferenceCreate LF_BLAS_NAME(MatmulPreferenceCreate)
#define gpuBlasPreferenceDestroy LF_BLAS_NAME(MatmulPreferenceDestroy)
#define gpuBlasPreferenceSet LF_BLAS_NAME(MatmulPreferenceSetAttribute)
#define gpuBlasHeuristic LF_BLAS_NAME(MatmulAlgoGetHeuristic)
#define gpuBlasChoice LF_BLAS_NAME(MatmulHeuristicResult_t)
#define gpuBlasMatmul LF_BLAS_NAME(Matmul)
#define gpuBlasTransA LF_BLAS_CONST(MATMUL_DESC_TRANSA)
#define gpuBlasTransB LF_BLAS_CONST(MATMUL_DESC_TRANSB)
#define gpuBlasScaleA LF_BLAS_CONST(MATMUL_DESC_A_SCALE_POINTER)
#define gpuBlasScaleB LF_BLAS_CONST(MATMUL_DESC_B_SCALE_POINTER)
#define gpuBlasWorkspace LF_BLAS_CONST(MATMUL_PREF_MAX_WORKSPACE_BYTES)
