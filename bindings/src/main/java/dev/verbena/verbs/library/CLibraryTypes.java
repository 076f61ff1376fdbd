package dev.verbena.verbs.library;

/**
 * What of the C library's types differs between the machines that verbs are verified for, for the generated code.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class CLibraryTypes {
    /** Sits inside ibv_context, ibv_cq, ibv_qp and ibv_srq, so whatever follows it there moves. */
    public static final long PTHREAD_MUTEX_BYTE_SIZE = pthreadMutexByteSize(System.getProperty("os.arch"));

    private CLibraryTypes() {}

    /** {@code __SIZEOF_PTHREAD_MUTEX_T} in glibc's bits/pthreadtypes-arch.h. */
    static long pthreadMutexByteSize(String architecture) {
        return architecture.equals("aarch64") ? 48 : 40;
    }
}
