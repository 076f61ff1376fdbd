package dev.verbena.cli.perf;

import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Callable;

import dev.verbena.cli.ExitStatus;
import dev.verbena.cli.FailedRunException;
import dev.verbena.cli.JsonOutput;
import dev.verbena.cli.WaitNotices;
import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.TransferException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * {@code verbena perf tensor}: what a tensor costs, from the user's call to the peer's, beside the fabric's write and a copy.
 *
 * <p><b>Owner:</b> the command line. <b>Threading:</b> confined to the command's thread.
 */
@Command(name = "tensor", mixinStandardHelpOptions = true,
        description = "Measure tensors, from a TensorSender to a TensorReceiver: a server without HOST, then a client with it.",
        footer = {"On one machine, or on two with the server's name:", "  verbena perf tensor &",
                "  verbena perf tensor localhost",
                "The content of each size is compared byte by byte, and of each tensor the first and the last 8, or all with --touch."})
public final class TensorCommand implements Callable<Integer> {
    @Mixin
    private TensorArguments arguments;
    @Mixin
    private JsonOutput json;

    /** What the raw part has shown, at the client, and where the tensors go on. */
    private record Met(List<TensorRaw> raw, TensorLink link) {}

    /** Made by the command line. */
    public TensorCommand() {}

    @Override
    public Integer call() {
        TensorOptions options = arguments.check();
        json.check();
        WaitNotices notices = WaitNotices.onStandardError();
        try {
            Met met = meet(options, notices);
            try (TensorLink link = met.link()) {
                TensorReport report = measure(options, met.raw(), link, notices);
                json.text().print(report.toTable());
                json.write(report.toMap());
            }
        } catch (TransferException | FailedRunException e) {
            throw new FailedRunException("tensor: " + e.getMessage());
        }
        return ExitStatus.SUCCESS;
    }

    /** Without a device, whose pollers would be in the way of the raw part. */
    private Met meet(TensorOptions options, WaitNotices notices) {
        try (PerfConnection connection = PerfConnection.open(options.raw(), notices)) {
            if (options.isServer()) {
                json.notices().println("* waiting for a client at " + connection.listen() + " *");
            }
            Conversation conversation = connection.begin();
            json.text().print(TensorReport.title(options, connection.fabricName()));
            json.text().flush();
            try (WaitNotices.Notice _ = notices.begin(conversation::doing, "", WaitNotices.NO_LIMIT)) {
                List<TensorRaw> raw = List.of();
                if (options.isServer()) {
                    conversation.run();
                } else {
                    raw = TensorRaw.measure(conversation, options);
                }
                return new Met(raw, link(options, connection.fabricName(), conversation));
            } catch (FailedRunException e) {
                connection.abort("tensor: " + e.getMessage());
                throw e;
            }
        }
    }

    private static TensorLink link(TensorOptions options, String fabric, Conversation conversation) {
        RdmaDevice device = RdmaDevice.create(options.device(fabric));
        try {
            ByteBuffer own = ByteBuffer.allocate(2 * Long.BYTES);
            byte[] address = options.isServer() ? new byte[0] : addressTowards(options).getAddress();
            own.put(address);
            long[] peer = conversation.exchange(device.endpoint().port(), address.length, own.getLong(0),
                    own.getLong(8));
            String host = options.isServer() ? host(peer) : options.host();
            return new TensorLink(device, new Endpoint(host, (int) peer[0]));
        } catch (RuntimeException e) {
            device.close();
            throw e;
        }
    }

    /** This host's, as the server sees it. */
    private static InetAddress addressTowards(TensorOptions options) {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(new InetSocketAddress(options.host(), options.port()));
            return socket.getLocalAddress();
        } catch (SocketException e) {
            throw new FailedRunException("no way leads to " + options.host() + ": " + e.getMessage());
        }
    }

    private static String host(long[] words) {
        ByteBuffer bytes = ByteBuffer.allocate(2 * Long.BYTES).putLong(words[2]).putLong(words[3]);
        byte[] address = new byte[(int) words[1]];
        bytes.get(0, address);
        try {
            return InetAddress.getByAddress(address).getHostAddress();
        } catch (UnknownHostException e) {
            throw new FailedRunException("the client has an address of " + words[1] + " bytes");
        }
    }

    private static TensorReport measure(TensorOptions options, List<TensorRaw> raw, TensorLink link,
            WaitNotices notices) {
        String fabric = link.device().fabricName();
        try {
            if (options.isServer()) {
                try (WaitNotices.Notice _ = notices.begin(() -> "serving the client's tensors", "",
                        WaitNotices.NO_LIMIT)) {
                    new TensorServer(link, options.touches()).run();
                }
                return new TensorReport(options, fabric, List.of());
            }
            TensorClient client = new TensorClient(link, options);
            try (WaitNotices.Notice _ = notices.begin(client::doing, "", WaitNotices.NO_LIMIT)) {
                return new TensorReport(options, fabric, client.run(raw));
            }
        } catch (FailedRunException | OutOfArenaMemoryException e) {
            link.device().abort("tensor: " + e.getMessage());
            throw new FailedRunException(e.getMessage());
        }
    }
}
