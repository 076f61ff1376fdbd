package dev.verbena.benchmarks.transfer;

import java.io.IOException;

/**
 * How tensors get there.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
enum Way {
    STATIC("static", Long.MAX_VALUE), DYNAMIC("dynamic", Long.MAX_VALUE), EXCHANGE("exchange", Long.MAX_VALUE),
    /** It is made in the receiver's slot. */
    PLACED("placed", Long.MAX_VALUE),
    /** Into registered memory first, as RDMA.cp of EuroSys'19. */
    COPY("copy", Long.MAX_VALUE),
    /** One unary message with the bytes of the tensor, copied into it and out of it. */
    GRPC("gRPC, as TensorFlow", 128L << 20),
    /** A stream, no thread but Netty's, and bytes that go from the tensor into Netty's buffers and from these into the tensor. */
    GRPC_TUNED("gRPC, tuned", 128L << 20),
    /** Also gRPC, whose messages are batches of Arrow. */
    FLIGHT("Arrow Flight", 128L << 20), AERON("Aeron IPC", 1L << 30), NETTY("Netty, Unix socket", 1L << 30),
    /** The system calls that are there anyway. */
    SOCKET("NIO, Unix socket", 1L << 30), UCX("UCX, by jucx", 1L << 30);

    final String label;
    /** Of a tensor; larger ones are left out. */
    final long byteSizeMax;

    Way(String label, long byteSizeMax) {
        this.label = label;
        this.byteSizeMax = byteSizeMax;
    }

    boolean isVerbena() {
        return compareTo(GRPC) < 0;
    }

    /** Why it cannot be taken there; null if it can. */
    String obstacle(Route route) {
        if (this == PLACED && !route.fabric().equals(Route.FABRIC_HERE)) {
            return "fabric " + route.fabric() + " does not map the receiver's memory";
        }
        return route.isBetweenHosts() && compareTo(FLIGHT) > 0 ? "it stays within a machine" : null;
    }

    /**
     * In the process of an end.
     *
     * @param host where it is found
     * @param fabric of ours
     */
    TensorEnd end(boolean isSender, String host, String fabric) throws IOException {
        return switch (this) {
            case STATIC, DYNAMIC, EXCHANGE, PLACED, COPY -> new VerbenaEnd(this, isSender, host, fabric);
            case GRPC, GRPC_TUNED -> new GrpcEnd(this == GRPC_TUNED, isSender, host);
            case FLIGHT -> new FlightEnd(isSender, host);
            case AERON -> new AeronEnd(isSender);
            case NETTY -> new NettyEnd(isSender);
            case SOCKET -> new SocketEnd(isSender);
            case UCX -> new UcxEnd(isSender);
        };
    }
}
