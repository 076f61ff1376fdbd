package dev.verbena.cli.perf;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import dev.verbena.cli.BadInputException;
import dev.verbena.cli.Candidates;
import dev.verbena.transfer.ExchangeOptions;

/**
 * A way that tensors go. The order is part of what the two sides say to each other.
 *
 * <p>Owner: none. Threading: immutable.
 */
enum TensorProtocol {
    /** The receiver's slots are known before. */
    STATIC(StaticCarrier::new),
    /** The receiver allocates each tensor when it is told of it, and reads it. */
    DYNAMIC(DynamicCarrier::new),
    /** By name and step, in messages or read, as the exchange chooses. */
    EXCHANGE(ExchangeCarrier.opening(ExchangeOptions.defaults(), false)),
    /** The same, in messages, as far as they have room for. */
    EAGER(ExchangeCarrier
            .opening(ExchangeOptions.defaults().withEagerByteSizeMax(ExchangeOptions.EAGER_BYTE_SIZE_MAX), false)),
    /** The same, read by the receiver, whatever their size. */
    RENDEZVOUS(ExchangeCarrier.opening(ExchangeOptions.defaults().withEagerByteSizeMax(0), false)),
    /** Each tensor is written in the receiver's slot, which is mapped. */
    PLACED(PlacedCarrier::new),
    /** As {@link #EXCHANGE}; those of a stream are held until they fill a message, or the window is used up. */
    COALESCED(ExchangeCarrier.opening(ExchangeOptions.defaults(), true));

    /** What both sides need for tensors of one size. */
    @FunctionalInterface
    interface Opening {
        /** @see TensorEnds#TensorEnds */
        TensorCarrier open(TensorLink link, String name, long byteSize, int slotsHere, int slotsThere);
    }

    /** For the shell's completion. */
    static final class Names extends Candidates {
        @Override
        protected List<String> words() {
            return Arrays.stream(values()).map(TensorProtocol::toString).toList();
        }
    }

    private final Opening opening;

    TensorProtocol(Opening opening) {
        this.opening = opening;
    }

    TensorCarrier open(TensorLink link, String name, long byteSize, int slotsHere, int slotsThere) {
        return opening.open(link, name, byteSize, slotsHere, slotsThere);
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws BadInputException where one of the names, separated by commas, is none or comes twice */
    static List<TensorProtocol> parse(String names) {
        List<TensorProtocol> protocols = new ArrayList<>();
        for (String name : names.split(",", -1)) {
            TensorProtocol protocol = Arrays.stream(values()).filter(each -> each.toString().equals(name)).findFirst()
                    .orElseThrow(() -> new BadInputException("there is no protocol '" + name + "'; give "
                            + Arrays.stream(values()).map(TensorProtocol::toString).collect(Collectors.joining(", "))
                            + ", or several of them separated by commas"));
            if (protocols.contains(protocol)) {
                throw new BadInputException("--protocol=" + names + " names " + protocol + " twice");
            }
            protocols.add(protocol);
        }
        return List.copyOf(protocols);
    }
}
