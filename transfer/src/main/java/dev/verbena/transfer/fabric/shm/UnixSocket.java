package dev.verbena.transfer.fabric.shm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/**
 * A local socket with an abstract name (unix(7)) that never blocks: it carries a number and a file descriptor, and tells the other's user.
 * The JDK's own sockets have no abstract names and pass no descriptors.
 *
 * <p><b>Owner:</b> who makes it. <b>Threading:</b> confined to the control thread, but for the making.
 */
final class UnixSocket implements AutoCloseable {
    /** A number that was sent, and the descriptor that came with it, which is the receiver's now. */
    record Passed(long number, int fd) {}

    /** Nothing has come yet. */
    static final Passed NOTHING = new Passed(0, -1);

    private static final int AF_UNIX = 1;
    private static final int SOCK_SEQPACKET = 5;
    private static final int SOCK_NONBLOCK = 0x800;
    private static final int SOCK_CLOEXEC = 0x80000;
    private static final int SOL_SOCKET = 1;
    private static final int SO_PEERCRED = 17;
    private static final int SCM_RIGHTS = 1;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int MSG_CMSG_CLOEXEC = 0x40000000;

    // struct sockaddr_un: sun_family short, sun_path char[108]; an abstract name begins with a zero and is as long as the length says.
    private static final int SUN_PATH = 2;
    // struct ucred: pid, uid, gid.
    private static final int UCRED_UID = 4;
    private static final int UCRED_BYTE_SIZE = 12;
    // struct msghdr: where things lie in it.
    private static final int MSG_IOV = 16;
    private static final int MSG_IOVLEN = 24;
    private static final int MSG_CONTROL = 32;
    private static final int MSG_CONTROLLEN = 40;
    private static final int MSGHDR_BYTE_SIZE = 56;
    // struct cmsghdr: cmsg_len long, cmsg_level int, cmsg_type int; one descriptor behind it, and room for no other.
    private static final int CMSG_LEVEL = 8;
    private static final int CMSG_TYPE = 12;
    private static final int CMSG_FD = 16;
    private static final int CMSG_LEN_OF_ONE = 20;

    /** int socket(int domain, int type, int protocol) */
    private static final MethodHandle SOCKET = Libc.handle("socket",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT), Libc.ERRNO);
    /** int bind(int fd, const struct sockaddr *address, socklen_t length) */
    private static final MethodHandle BIND = Libc.handle("bind",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT), Libc.ERRNO);
    /** int listen(int fd, int backlog) */
    private static final MethodHandle LISTEN = Libc.handle("listen",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT),
            Libc.ERRNO);
    /** int connect(int fd, const struct sockaddr *address, socklen_t length) */
    private static final MethodHandle CONNECT = Libc.handle("connect",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT), Libc.ERRNO);
    /** int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags) */
    private static final MethodHandle ACCEPT = Libc.handle("accept4",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT), Libc.ERRNO);
    /** int getsockopt(int fd, int level, int name, void *value, socklen_t *length) */
    private static final MethodHandle GETSOCKOPT = Libc.handle("getsockopt",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS), Libc.ERRNO);
    /** ssize_t sendmsg(int fd, const struct msghdr *message, int flags) */
    private static final MethodHandle SENDMSG = Libc.handle("sendmsg",
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT), Libc.ERRNO);
    /** ssize_t recvmsg(int fd, struct msghdr *message, int flags) */
    private static final MethodHandle RECVMSG = Libc.handle("recvmsg",
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT), Libc.ERRNO);
    /** uid_t geteuid(void): cannot fail */
    private static final MethodHandle GETEUID = Libc.handle("geteuid", FunctionDescriptor.of(JAVA_INT));

    private int fd;

    private UnixSocket(int fd) {
        this.fd = fd;
    }

    /** The user that this process acts as. */
    static int ownUser() {
        try {
            return (int) GETEUID.invokeExact();
        } catch (Throwable t) {
            throw Libc.unexpected(t);
        }
    }

    /** @throws IOException if somebody has the name, or for want of descriptors */
    static UnixSocket listen(String name, int backlog) throws IOException {
        UnixSocket socket = open();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(Libc.CAPTURE);
            MemorySegment address = address(arena, name);
            check("bind", name, state, (int) BIND.invokeExact(state, socket.fd, address, (int) address.byteSize()));
            check("listen", name, state, (int) LISTEN.invokeExact(state, socket.fd, backlog));
            return socket;
        } catch (Throwable t) {
            socket.close();
            throw passedOn(t);
        }
    }

    /** @return null if nobody listens there. @throws IOException if too many have connected and are not accepted yet */
    static UnixSocket connect(String name) throws IOException {
        UnixSocket socket = open();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(Libc.CAPTURE);
            MemorySegment address = address(arena, name);
            int result = (int) CONNECT.invokeExact(state, socket.fd, address, (int) address.byteSize());
            if (result < 0 && Libc.errno(state) == Libc.ECONNREFUSED) {
                socket.close();
                return null;
            }
            check("connect", name, state, result);
            return socket;
        } catch (Throwable t) {
            socket.close();
            throw passedOn(t);
        }
    }

    /** @return null if nobody else has connected */
    UnixSocket accept() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(Libc.CAPTURE);
            int accepted = (int) ACCEPT.invokeExact(state, fd, MemorySegment.NULL, MemorySegment.NULL,
                    SOCK_NONBLOCK | SOCK_CLOEXEC);
            if (accepted < 0 && isNothingYet(Libc.errno(state))) {
                return null;
            }
            check("accept4", "a local socket", state, accepted);
            return new UnixSocket(accepted);
        } catch (Throwable t) {
            throw passedOn(t);
        }
    }

    /** The user who has connected, or, for who connected, the one who listens: the kernel says it. */
    int peerUser() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(Libc.CAPTURE);
            MemorySegment credentials = arena.allocate(UCRED_BYTE_SIZE, Integer.BYTES);
            MemorySegment length = arena.allocateFrom(JAVA_INT, UCRED_BYTE_SIZE);
            check("getsockopt(SO_PEERCRED)", "a local socket", state,
                    (int) GETSOCKOPT.invokeExact(state, fd, SOL_SOCKET, SO_PEERCRED, credentials, length));
            return credentials.get(JAVA_INT, UCRED_UID);
        } catch (Throwable t) {
            throw passedOn(t);
        }
    }

    /** Sends both at once; the descriptor stays the sender's too. */
    void pass(long number, int passed) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(Libc.CAPTURE);
            MemorySegment control = arena.allocate(CMSG_LEN_OF_ONE, Long.BYTES);
            control.set(JAVA_LONG, 0, CMSG_LEN_OF_ONE);
            control.set(JAVA_INT, CMSG_LEVEL, SOL_SOCKET);
            control.set(JAVA_INT, CMSG_TYPE, SCM_RIGHTS);
            control.set(JAVA_INT, CMSG_FD, passed);
            MemorySegment message = message(arena, arena.allocateFrom(JAVA_LONG, number), control);
            check("sendmsg", "a local socket", state, (long) SENDMSG.invokeExact(state, fd, message, MSG_NOSIGNAL));
        } catch (Throwable t) {
            throw passedOn(t);
        }
    }

    /** @return {@link #NOTHING} if nothing has come yet; null if the other end is gone, or has sent something else */
    Passed take() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(Libc.CAPTURE);
            MemorySegment number = arena.allocate(JAVA_LONG);
            MemorySegment control = arena.allocate(CMSG_LEN_OF_ONE, Long.BYTES);
            MemorySegment message = message(arena, number, control);
            long count = (long) RECVMSG.invokeExact(state, fd, message, MSG_CMSG_CLOEXEC);
            if (count < 0 && isNothingYet(Libc.errno(state))) {
                return NOTHING;
            }
            check("recvmsg", "a local socket", state, count);
            boolean hasFd = message.get(JAVA_LONG, MSG_CONTROLLEN) >= CMSG_LEN_OF_ONE
                    && control.get(JAVA_INT, CMSG_LEVEL) == SOL_SOCKET
                    && control.get(JAVA_INT, CMSG_TYPE) == SCM_RIGHTS;
            if (hasFd && count != Long.BYTES) {
                Libc.close(control.get(JAVA_INT, CMSG_FD));
            }
            return hasFd && count == Long.BYTES ? new Passed(number.get(JAVA_LONG, 0), control.get(JAVA_INT, CMSG_FD))
                    : null;
        } catch (Throwable t) {
            throw passedOn(t);
        }
    }

    private static boolean isNothingYet(int errno) {
        return errno == Libc.EAGAIN || errno == Libc.EINTR;
    }

    private static MemorySegment message(Arena arena, MemorySegment data, MemorySegment control) {
        MemorySegment vector = arena.allocate(2L * Long.BYTES, Long.BYTES);
        vector.set(ADDRESS, 0, data);
        vector.set(JAVA_LONG, Long.BYTES, data.byteSize());
        MemorySegment message = arena.allocate(MSGHDR_BYTE_SIZE, Long.BYTES);
        message.set(ADDRESS, MSG_IOV, vector);
        message.set(JAVA_LONG, MSG_IOVLEN, 1);
        message.set(ADDRESS, MSG_CONTROL, control);
        message.set(JAVA_LONG, MSG_CONTROLLEN, control.byteSize());
        return message;
    }

    private static UnixSocket open() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(Libc.CAPTURE);
            int fd = (int) SOCKET.invokeExact(state, AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
            check("socket", "AF_UNIX", state, fd);
            return new UnixSocket(fd);
        } catch (Throwable t) {
            throw passedOn(t);
        }
    }

    private static MemorySegment address(Arena arena, String name) {
        byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
        MemorySegment address = arena.allocate(SUN_PATH + 1L + bytes.length, Short.BYTES);
        address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
        MemorySegment.copy(bytes, 0, address, ValueLayout.JAVA_BYTE, SUN_PATH + 1L, bytes.length);
        return address;
    }

    private static void check(String call, String what, MemorySegment state, long result) throws IOException {
        if (result < 0) {
            throw new IOException(call + " of " + what + " failed: " + Libc.describe(-Libc.errno(state)));
        }
    }

    private static IOException passedOn(Throwable t) {
        if (t instanceof IOException e) {
            return e;
        }
        throw Libc.unexpected(t);
    }

    /** Idempotent. What was sent still arrives. */
    @Override
    public void close() {
        if (fd >= 0) {
            Libc.close(fd);
            fd = -1;
        }
    }
}
