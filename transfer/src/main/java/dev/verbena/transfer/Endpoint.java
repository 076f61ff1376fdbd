package dev.verbena.transfer;

/**
 * A host and a port where a device listens.
 *
 * @param host name or address
 * @param port 1 to 65535; 0 to let the system choose where that makes sense
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record Endpoint(String host, int port) {
    /** Throws {@link IllegalArgumentException} if the host is blank or the port not 0 to 65535; the host is not looked up. */
    public Endpoint {
        if (host.isBlank() || port < 0 || port > 65_535) {
            throw new IllegalArgumentException(
                    "bad endpoint: host='" + host + "' port=" + port + "; give HOST:PORT with a port from 0 to 65535");
        }
    }

    /** Reads {@code HOST:PORT}. */
    public static Endpoint parse(String text) {
        int colon = text.lastIndexOf(':');
        try {
            return new Endpoint(text.substring(0, Math.max(colon, 0)), Integer.parseInt(text.substring(colon + 1)));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("bad endpoint '" + text + "'; give HOST:PORT", e);
        }
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
