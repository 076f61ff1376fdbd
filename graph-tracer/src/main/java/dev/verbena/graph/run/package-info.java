/**
 * Sessions: a plan and kernels, run again and again.
 *
 * <pre>
 *   Sessions ──► LocalSetup, DistributedSetup ──► GraphSession
 *                                                   │ NodeKernels    the kernel of each node (Kernels, or edge: SendKernel, ReceiveKernel)
 *                                                   ▼
 *   edge ──► execution ──► memory                   hidden, arrows one way; they know what users see, and no session
 *
 *   execution: Frame      a RunPlan with room for what it computes: NodeRuns
 *              Executor ──► NodeRun: state, what it waits for ──► NodeFrame: inputs, outputs, temporaries; the KernelContext
 *   memory:                   Value ──► Storage: the memory, and how many still need it
 * </pre>
 *
 * Memory comes from SessionMemory, which asks SessionTracer; variables live in VariableStore, from run to run.
 */
package dev.verbena.graph.run;
