/* Functions that torch_npu links against or looks up and that nothing here depends on.
 *
 * Success is the answer of those alone that ask for nothing that a result could depend on.  The others say
 * that they are not supported: 207000, ACL_ERROR_RT_FEATURE_NOT_SUPPORT.
 */
int emulator_ordered(const char *function);
#define IDLE(name) int name(void) { return emulator_ordered(#name); }
int emulator_error(int code, const char *format, ...);
#define UNSUPPORTED(name) int name(void) { return emulator_error(207000, "%s is not emulated", #name); }

/* may succeed without doing anything */
IDLE(MsprofGetHashId)
IDLE(MsprofRegisterCallback)
IDLE(MsprofReportAdditionalInfo)
IDLE(MsprofReportApi)
IDLE(MsprofReportCompactInfo)
IDLE(MsprofSysCycleTime)
IDLE(HcclSetConfig)
IDLE(aclAppLog)
IDLE(aclDestroyDataBuffer)
IDLE(aclDestroyTensorDesc)
IDLE(aclFinalize)
IDLE(aclGetTensorDescDimV2)
IDLE(aclGetTensorDescFormat)
IDLE(aclGetTensorDescNumDims)
IDLE(aclGetTensorDescType)
IDLE(aclInit)
IDLE(aclSetTensorDescName)
IDLE(aclSetTensorFormat)
IDLE(aclSetTensorPlaceMent)
IDLE(aclSetTensorShape)
IDLE(aclopDestroyAttr)
IDLE(aclopSetAttrBool)
IDLE(aclopSetAttrDataType)
IDLE(aclopSetAttrFloat)
IDLE(aclopSetAttrInt)
IDLE(aclopSetAttrListBool)
IDLE(aclopSetAttrListFloat)
IDLE(aclopSetAttrListInt)
IDLE(aclopSetAttrListListInt)
IDLE(aclopSetAttrString)
IDLE(aclrtDeviceEnablePeerAccess)
IDLE(aclrtSetDeviceSatMode)
IDLE(aclrtSetStreamAttribute)
IDLE(aclSetCompileopt)
IDLE(aclrtSetSysParamOpt)
IDLE(aclrtCtxSetSysParamOpt)
IDLE(aclrtSetOpExecuteTimeOut)
IDLE(aclrtSetOpWaitTimeout)

/* torch_npu up to 2.9.0 and 2.8.0.post2 is linked against it */
UNSUPPORTED(HcclCommInitAll)

/* kernels that both units run, or that are called from other kernels; see fused.c */
UNSUPPORTED(aclrtGetFunctionAddr)

/* dumps of operands, and callbacks */
UNSUPPORTED(aclmdlFinalizeDump)
UNSUPPORTED(aclmdlInitDump)
UNSUPPORTED(aclmdlSetDump)
UNSUPPORTED(aclrtProcessReport)

/* memory that is mapped piecewise or shared between processes */
UNSUPPORTED(aclrtDeviceGetBareTgid)
UNSUPPORTED(aclrtFreePhysical)
UNSUPPORTED(aclrtMallocPhysical)
UNSUPPORTED(aclrtMapMem)
UNSUPPORTED(aclrtMemExportToShareableHandle)
UNSUPPORTED(aclrtMemImportFromShareableHandle)
UNSUPPORTED(aclrtMemSetPidToShareableHandle)
UNSUPPORTED(aclrtReleaseMemAddress)
UNSUPPORTED(aclrtReserveMemAddress)
UNSUPPORTED(aclrtUnmapMem)

/* graphs that are changed after their capture, branch or are printed */
UNSUPPORTED(aclmdlRIAddCondTask)
UNSUPPORTED(aclmdlRICaptureTaskGrpBegin)
UNSUPPORTED(aclmdlRICaptureTaskGrpEnd)
UNSUPPORTED(aclmdlRICaptureTaskUpdateBegin)
UNSUPPORTED(aclmdlRICaptureTaskUpdateEnd)
UNSUPPORTED(aclmdlRICaptureToModelRIBegin)
UNSUPPORTED(aclmdlRICondHandleCreate)
UNSUPPORTED(aclmdlRICondHandleGetCondPtr)
UNSUPPORTED(aclmdlRIDebugJsonPrint)
UNSUPPORTED(aclmdlRIDebugPrint)
