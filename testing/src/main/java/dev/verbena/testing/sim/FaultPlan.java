package dev.verbena.testing.sim;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * What a simulated fabric does to its users: how long things take, in which pieces and in which order, what fails, and what
 * happens when. Data: {@link #parse} reads what {@link #toString} says.
 *
 * @param settings what is other than initially
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record FaultPlan(Map<Fault, Long> settings, List<Incident> incidents) {
    private static final String NOTHING = "none";
    /** How long a simulation may take in which incidents happen at random. */
    private static final int INCIDENT_NS_MAX = 2_000_000;

    /** Each step takes the same time, and nothing fails. */
    public static final FaultPlan NONE = new FaultPlan(Map.of(), List.of());

    /** Copies both, but for settings at their initial value; throws {@link IllegalArgumentException} if one is out of range. */
    public FaultPlan {
        EnumMap<Fault, Long> checked = new EnumMap<>(Fault.class);
        settings.forEach((fault, value) -> {
            fault.check(value);
            if (value != fault.initial()) {
                checked.put(fault, value);
            }
        });
        settings = Collections.unmodifiableMap(checked);
        incidents = List.copyOf(incidents);
    }

    /** What is set, or the fault's {@link Fault#initial()} value; in the unit, and with the meaning of 0, that the fault says. */
    public long get(Fault fault) {
        return settings.getOrDefault(fault, fault.initial());
    }

    /** @throws IllegalArgumentException if the value is out of the fault's range */
    public FaultPlan with(Fault fault, long value) {
        Map<Fault, Long> changed = new EnumMap<>(Fault.class);
        changed.putAll(settings);
        changed.put(fault, value);
        return new FaultPlan(changed, incidents);
    }

    /** With one more, whatever its time; of those at the same time, the one that was added first happens first. */
    public FaultPlan with(Incident incident) {
        List<Incident> more = new ArrayList<>(incidents);
        more.add(incident);
        return new FaultPlan(settings, more);
    }

    /** Only what every fabric may do at any time: steps of any length, messages in pieces, polls that find little, low limits. */
    public static FaultPlan harmless(long seed) {
        Random random = Chance.random(seed);
        FaultPlan plan = NONE.with(Fault.DELAY_NS_MIN, random.nextInt(1_000))
                .with(Fault.DELAY_NS_MAX, 1_000 + random.nextInt(10_000))
                .with(Fault.PIECE_COUNT_MAX, 1 + random.nextInt(16))
                .with(Fault.RELAXED_ORDER, random.nextInt(3))
                .with(Fault.SILENT_WRITES, random.nextInt(2))
                .with(Fault.STRAGGLING_PIECES, random.nextInt(2));
        plan = sometimes(random, plan, Fault.NO_ATOMICS, 1);
        plan = sometimes(random, plan, Fault.ELEMENT_COUNT_MAX, 2 + random.nextInt(15));
        plan = sometimes(random, plan, Fault.READ_ELEMENT_COUNT_MAX, 1 + random.nextInt(16));
        plan = sometimes(random, plan, Fault.MESSAGE_BYTE_SIZE_MAX, 1 << 20 + random.nextInt(11));
        plan = sometimes(random, plan, Fault.LATE_ONE_IN, 2 + random.nextInt(200));
        plan = plan.with(Fault.LATE_NS, random.nextInt(20_000));
        plan = sometimes(random, plan, Fault.EMPTY_POLL_ONE_IN, 2 + random.nextInt(10));
        plan = sometimes(random, plan, Fault.POLL_COUNT_MAX, 1 + random.nextInt(8));
        plan = sometimes(random, plan, Fault.MISSED_RECEIVE_ONE_IN, 2 + random.nextInt(10));
        return sometimes(random, plan, Fault.NO_PEER_MEMORY, 1);
    }

    /** With failures too, and incidents of up to three processes in the first 2 milliseconds. */
    public static FaultPlan random(long seed) {
        Random random = Chance.random(~seed);
        FaultPlan plan = sometimes(random, harmless(seed), Fault.PARTIAL_POST_ONE_IN, 2 + random.nextInt(10));
        plan = sometimes(random, plan, Fault.LATE_NS, random.nextInt(1_000_000));
        if (random.nextInt(4) == 0) {
            plan = plan.with(Fault.COMPLETION_COUNT_MAX, 4 + random.nextInt(28));
        }
        if (random.nextInt(4) == 0) {
            plan = plan.with(Fault.FAILED_REGISTRATION_ONE_IN, 2 + random.nextInt(10));
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            Incident.Kind kind = Incident.Kind.values()[random.nextInt(Incident.Kind.values().length)];
            plan = plan.with(new Incident(kind, random.nextInt(3), random.nextInt(INCIDENT_NS_MAX),
                    random.nextInt(INCIDENT_NS_MAX)));
        }
        plan = sometimes(random, plan, Fault.PEER_TIMEOUT_NS, 1 + random.nextInt(INCIDENT_NS_MAX));
        plan = sometimes(random, plan, Fault.WRITES_OUTLIVE_TARGET, 1);
        return sometimes(random, plan, Fault.REFUSED_AT_ONCE_ONE_IN, 1 + random.nextInt(10));
    }

    private static FaultPlan sometimes(Random random, FaultPlan plan, Fault fault, long value) {
        return random.nextBoolean() ? plan.with(fault, value) : plan;
    }

    /** @throws IllegalArgumentException if it is not what {@link #toString} says of a plan */
    public static FaultPlan parse(String text) {
        FaultPlan plan = NONE;
        for (String word : text.isBlank() || text.strip().equals(NOTHING) ? new String[0]
                : text.strip().split("\\s+")) {
            int equals = word.indexOf('=');
            plan = equals < 0 ? plan.with(Incident.parse(word))
                    : plan.with(Fault.of(word.substring(0, equals)), value(word, equals + 1));
        }
        return plan;
    }

    private static long value(String word, int begin) {
        try {
            return Long.parseLong(word.substring(begin));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("bad setting '" + word + "'; give NAME=NUMBER", e);
        }
    }

    /** Settings and incidents, with a blank between; {@code none} if there are none. */
    @Override
    public String toString() {
        List<String> words = new ArrayList<>();
        settings.forEach((fault, value) -> words.add(fault.text() + "=" + value));
        incidents.forEach(incident -> words.add(incident.toString()));
        return words.isEmpty() ? NOTHING : String.join(" ", words);
    }
}
