package dev.verbena.graph;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A dimension, or an element of a tensor that dimensions are computed from: a number, or a sum of products of symbols, such as
 * {@code 12*N + 1}. Equal sums are equal, however they came about, so that {@code N*12/12} is {@code N}.
 *
 * <p>A <em>symbolic</em> one is made of what the model's inputs leave open: once they are bound, {@link #bind}, it is a number. An
 * <em>unknown</em> one also depends on what only a run can tell, and says why.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable. Symbols stand for 0 or more. What has more than 63 bits throws
 * {@link ArithmeticException}.
 */
public final class Dimension {
    /** What is longer is given up: expressions that grow at every node of a graph would take all time and memory. */
    private static final int SIZE_MAX = 48;
    /** As {@link #equals} has it, and as they are read. */
    private static final Comparator<Factor> FACTORS = Comparator.<Factor, String>comparing(Object::toString)
            .thenComparing(Factor::symbols, Dimension::compare);
    private static final Comparator<List<Factor>> PRODUCTS = Comparator.<List<Factor>>comparingInt(List::size)
            .reversed().thenComparing(Object::toString).thenComparing(Dimension::symbols, Dimension::compare);
    private static final AtomicLong ANONYMOUS_COUNT = new AtomicLong();
    private static final Dimension ONE = of(1);
    private static final String ANONYMOUS = "?";
    private static final String GIVEN_UP = "the expression that says how large it is has become too long";

    /** Coefficients by the factors that they are multiplied with; none is 0. A number's factors are none. */
    private final Map<List<Factor>, Long> terms;

    private Dimension(Map<List<Factor>, Long> terms) {
        this.terms = terms;
    }

    /** What is not taken apart any further. */
    private sealed interface Factor permits Symbol, Combination {
        int size();

        /** In the order in which they are read. */
        List<Symbol> symbols();
    }

    /**
     * @param reason why only a run can tell; null if the model's inputs do
     * @param number of one that is anonymous: each is another one; else 0
     */
    private record Symbol(String name, String reason, long number) implements Factor {
        private static final Comparator<Symbol> ORDER = Comparator.comparing(Symbol::name)
                .thenComparing(symbol -> symbol.reason != null).thenComparingLong(Symbol::number);

        static Symbol of(String name, String reason) {
            return new Symbol(name, reason, name.equals(ANONYMOUS) ? ANONYMOUS_COUNT.incrementAndGet() : 0);
        }

        @Override
        public int size() {
            return 1;
        }

        @Override
        public List<Symbol> symbols() {
            return List.of(this);
        }

        boolean isAnonymous() {
            return number != 0;
        }

        /** Reasons are words. */
        @Override
        public boolean equals(Object other) {
            return other instanceof Symbol symbol && name.equals(symbol.name) && number == symbol.number
                    && reason != null == (symbol.reason != null);
        }

        @Override
        public int hashCode() {
            return 31 * name.hashCode() + Long.hashCode(number);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** Two dimensions, neither of them known well enough to say what comes of them. */
    private record Combination(Operator operator, Dimension left, Dimension right) implements Factor {
        @Override
        public int size() {
            return 1 + left.size() + right.size();
        }

        @Override
        public List<Symbol> symbols() {
            List<Symbol> symbols = new ArrayList<>(left.symbolsOfAll());
            symbols.addAll(right.symbolsOfAll());
            return symbols;
        }

        @Override
        public String toString() {
            return operator.name().toLowerCase(Locale.ROOT) + "(" + left + ", " + right + ")";
        }
    }

    private enum Operator {
        /** Rounded down. */
        QUOTIENT,
        MIN, MAX,
        /** That which is not 1, of two that are broadcast to each other. */
        BROADCAST
    }

    private static List<Symbol> symbols(Collection<Factor> factors) {
        return factors.stream().flatMap(factor -> factor.symbols().stream()).toList();
    }

    /** Of what reads the same. */
    private static int compare(List<Symbol> left, List<Symbol> right) {
        int order = Integer.compare(left.size(), right.size());
        for (int i = 0; order == 0 && i < left.size(); i++) {
            order = Symbol.ORDER.compare(left.get(i), right.get(i));
        }
        return order;
    }

    /** A number, which may be negative: elements of tensors are. */
    public static Dimension of(long size) {
        return new Dimension(size == 0 ? Map.of() : Map.of(List.of(), size));
    }

    /** What the model calls so and leaves to its inputs. */
    public static Dimension symbol(String name) {
        return ofFactor(Symbol.of(name, null));
    }

    /**
     * What only a run can tell. Those of one name are equal, except for {@code ?}, which is no name: each is another one.
     *
     * @param reason half a sentence
     */
    public static Dimension unknown(String name, String reason) {
        return ofFactor(Symbol.of(name, reason));
    }

    private static Dimension ofFactor(Factor factor) {
        return new Dimension(Map.of(List.of(factor), 1L));
    }

    private static Dimension ofTerms(Map<List<Factor>, Long> terms) {
        Dimension sum = new Dimension(terms);
        return sum.size() > SIZE_MAX ? unknown(ANONYMOUS, GIVEN_UP) : sum;
    }

    private int size() {
        int size = 0;
        for (List<Factor> factors : terms.keySet()) {
            size++;
            for (Factor factor : factors) {
                size += factor.size();
            }
        }
        return size;
    }

    /** Whether it is a number, and so has a {@link #value}: no symbol is left in it. */
    public boolean isKnown() {
        return terms.isEmpty() || terms.size() == 1 && terms.containsKey(List.of());
    }

    /** Whether it depends on what only a run can tell. */
    public boolean isUnknown() {
        return reason().isPresent();
    }

    /** Whether it equals that number. */
    public boolean is(long size) {
        return isKnown() && constant() == size;
    }

    /** Its number, if it is known. */
    public OptionalLong value() {
        return isKnown() ? OptionalLong.of(constant()) : OptionalLong.empty();
    }

    private long constant() {
        return terms.getOrDefault(List.of(), 0L);
    }

    /** Whether it is what that symbol stands for, and no sum or product of it. What is anonymous is no symbol of that name: each is another one. */
    boolean isSymbol(String name) {
        return symbolsOfAll().stream().anyMatch(
                symbol -> symbol.name.equals(name) && !symbol.isAnonymous() && equals(ofFactor(symbol)));
    }

    /** Why only a run can tell, if it is unknown. */
    public Optional<String> reason() {
        return symbolsOfAll().stream().filter(symbol -> symbol.reason != null).map(Symbol::reason).findFirst();
    }

    /** Names of the symbols that it is made of. */
    public Set<String> symbols() {
        if (isKnown()) {
            return Set.of();
        }
        Set<String> names = new TreeSet<>();
        symbolsOfAll().forEach(symbol -> names.add(symbol.name));
        return names;
    }

    private List<Symbol> symbolsOfAll() {
        return terms.keySet().stream().flatMap(factors -> symbols(factors).stream()).toList();
    }

    /** The sum, like terms taken together: N + N is 2*N. Unknown if it would be too long. */
    public Dimension plus(Dimension other) {
        Map<List<Factor>, Long> sum = new TreeMap<>(PRODUCTS);
        sum.putAll(terms);
        other.terms.forEach((factors, coefficient) -> add(sum, factors, coefficient));
        return ofTerms(sum);
    }

    /** As {@link #plus(Dimension)}, of a number, which may be negative. */
    public Dimension plus(long other) {
        return plus(of(other));
    }

    /** The difference, which may be negative; equal terms cancel out. Unknown if it would be too long. */
    public Dimension minus(Dimension other) {
        return plus(other.times(of(-1)));
    }

    /** The product, multiplied out: (N + 1) times M is M*N + M. Unknown if it would be too long. */
    public Dimension times(Dimension other) {
        Map<List<Factor>, Long> product = new TreeMap<>(PRODUCTS);
        terms.forEach((factors, coefficient) -> other.terms.forEach((otherFactors, otherCoefficient) -> {
            List<Factor> both = new ArrayList<>(factors);
            both.addAll(otherFactors);
            both.sort(FACTORS);
            add(product, List.copyOf(both), Math.multiplyExact(coefficient, otherCoefficient));
        }));
        return ofTerms(product);
    }

    private static void add(Map<List<Factor>, Long> terms, List<Factor> factors, long coefficient) {
        long sum = Math.addExact(terms.getOrDefault(factors, 0L), coefficient);
        if (sum == 0) {
            terms.remove(factors);
        } else {
            terms.put(factors, sum);
        }
    }

    /**
     * The quotient, if it is one without a remainder whatever the symbols stand for.
     *
     * @throws ArithmeticException if the other is 0
     */
    public Optional<Dimension> dividedExactlyBy(Dimension other) {
        if (other.terms.isEmpty()) {
            throw new ArithmeticException(this + " divided by 0");
        }
        if (equals(other)) {
            return Optional.of(ONE);
        }
        if (other.terms.size() != 1) {
            return Optional.empty();
        }
        Map.Entry<List<Factor>, Long> divisor = other.terms.entrySet().iterator().next();
        Map<List<Factor>, Long> quotient = new TreeMap<>(PRODUCTS);
        for (Map.Entry<List<Factor>, Long> term : terms.entrySet()) {
            List<Factor> left = new ArrayList<>(term.getKey());
            for (Factor factor : divisor.getKey()) {
                if (!left.remove(factor)) {
                    return Optional.empty();
                }
            }
            if (term.getValue() % divisor.getValue() != 0) {
                return Optional.empty();
            }
            quotient.put(List.copyOf(left), term.getValue() / divisor.getValue());
        }
        return Optional.of(new Dimension(quotient));
    }

    /**
     * The quotient, rounded down.
     *
     * @throws ArithmeticException if the other is 0
     */
    public Dimension dividedBy(Dimension other) {
        Optional<Dimension> exact = dividedExactlyBy(other);
        if (exact.isPresent()) {
            return exact.get();
        }
        if (!other.isKnown()) {
            return combined(Operator.QUOTIENT, this, other);
        }
        if (isKnown()) {
            return of(Math.floorDiv(constant(), other.constant()));
        }
        // Multiples of the divisor need no rounding.
        Map<List<Factor>, Long> multiples = new TreeMap<>(PRODUCTS);
        Map<List<Factor>, Long> rest = new TreeMap<>(PRODUCTS);
        terms.forEach((factors, coefficient) -> {
            long remainder = Math.floorMod(coefficient, other.constant());
            add(multiples, factors, Math.floorDiv(coefficient, other.constant()));
            add(rest, factors, remainder);
        });
        Dimension remainder = new Dimension(rest);
        return new Dimension(multiples).plus(remainder.isKnown() ? of(Math.floorDiv(remainder.constant(),
                other.constant())) : combined(Operator.QUOTIENT, remainder, other));
    }

    /** The quotient, rounded up. */
    public Dimension dividedUpBy(Dimension other) {
        if (other.isKnown() && other.constant() > 0 && !isKnown()) {
            return plus(other.constant() - 1).dividedBy(other);
        }
        return of(-1).times(of(-1).times(this).dividedBy(other));
    }

    /** The smaller one, if that is the same whatever symbols stand for; else an expression that is settled once they are bound. */
    public Dimension min(Dimension other) {
        Optional<Integer> sign = minus(other).sign();
        return sign.map(each -> each <= 0 ? this : other).orElseGet(() -> combined(Operator.MIN, this, other));
    }

    /** The larger one, if that is the same whatever symbols stand for; else an expression that is settled once they are bound. */
    public Dimension max(Dimension other) {
        Optional<Integer> sign = minus(other).sign();
        return sign.map(each -> each >= 0 ? this : other).orElseGet(() -> combined(Operator.MAX, this, other));
    }

    /**
     * The dimension of what two tensors are broadcast to; empty if they cannot be, whatever symbols stand for.
     */
    public Optional<Dimension> broadcastWith(Dimension other) {
        if (equals(other) || other.is(1)) {
            return Optional.of(this);
        }
        if (is(1)) {
            return Optional.of(other);
        }
        if (isKnown() || other.isKnown()) {
            return isKnown() && other.isKnown() ? Optional.empty() : Optional.of(isKnown() ? this : other);
        }
        // Neither order nor number of what is broadcast matters.
        return Optional.of(toString().compareTo(other.toString()) <= 0 ? combined(Operator.BROADCAST, this, other)
                : combined(Operator.BROADCAST, other, this));
    }

    private static Dimension combined(Operator operator, Dimension left, Dimension right) {
        Combination combination = new Combination(operator, left, right);
        return combination.size() > SIZE_MAX ? unknown(ANONYMOUS, GIVEN_UP) : ofFactor(combination);
    }

    /** -1, 0 or 1 as it is less than 0, 0 or more whatever symbols stand for; -1 and 1 include 0. Empty if that cannot be told. */
    Optional<Integer> sign() {
        if (terms.isEmpty()) {
            return Optional.of(0);
        }
        boolean isNegative = true;
        boolean isPositive = true;
        for (Map.Entry<List<Factor>, Long> term : terms.entrySet()) {
            boolean isMonotone = term.getKey().stream().allMatch(Dimension::isNeverNegative);
            isPositive &= isMonotone && term.getValue() > 0;
            isNegative &= isMonotone && term.getValue() < 0;
        }
        return isPositive ? Optional.of(1) : isNegative ? Optional.of(-1) : Optional.empty();
    }

    private static boolean isNeverNegative(Factor factor) {
        return switch (factor) {
            case Symbol symbol -> !symbol.isAnonymous();
            case Combination combination -> {
                boolean isLeft = combination.left.isNeverNegative();
                boolean isRight = combination.right.isNeverNegative();
                yield combination.operator == Operator.MAX ? isLeft || isRight : isLeft && isRight;
            }
        };
    }

    /** Whether it differs from the other whatever symbols stand for. */
    public boolean differsFrom(Dimension other) {
        if (isKnown() && other.isKnown()) {
            return constant() != other.constant();
        }
        Dimension difference = minus(other);
        return difference.isKnown() && difference.constant() != 0;
    }

    /** Whether it is less than the other: empty if that depends on what symbols stand for. */
    public Optional<Boolean> isLessThan(Dimension other) {
        Dimension difference = minus(other);
        if (difference.isNeverNegative()) {
            return Optional.of(false);
        }
        return difference.isNegative() ? Optional.of(true) : Optional.empty();
    }

    /** Whether it is less than 0 whatever symbols stand for. */
    public boolean isNegative() {
        return constant() < 0 && sign().filter(sign -> sign < 0).isPresent();
    }

    /** Whether it is more than 0, or 0, whatever symbols stand for. */
    public boolean isNeverNegative() {
        return sign().filter(sign -> sign >= 0).isPresent();
    }

    /**
     * With numbers for some of its symbols.
     *
     * @throws ArithmeticException if it divides by what is 0 then
     */
    public Dimension bind(Map<String, Long> numbers) {
        if (isKnown()) {
            return this;
        }
        Dimension sum = of(0);
        for (Map.Entry<List<Factor>, Long> term : terms.entrySet()) {
            Dimension product = of(term.getValue());
            for (Factor factor : term.getKey()) {
                product = product.times(bind(factor, numbers));
            }
            sum = sum.plus(product);
        }
        return sum;
    }

    private static Dimension bind(Factor factor, Map<String, Long> numbers) {
        return switch (factor) {
            case Symbol symbol -> {
                Long number = numbers.get(symbol.name);
                yield number == null ? ofFactor(symbol) : of(number);
            }
            case Combination combination -> {
                Dimension left = combination.left.bind(numbers);
                Dimension right = combination.right.bind(numbers);
                yield switch (combination.operator) {
                    case QUOTIENT -> left.dividedBy(right);
                    case MIN -> left.min(right);
                    case MAX -> left.max(right);
                    case BROADCAST -> left.broadcastWith(right)
                            .orElseThrow(() -> new ArithmeticException(left + " and " + right + " don't broadcast"));
                };
            }
        };
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Dimension dimension && terms.equals(dimension.terms);
    }

    @Override
    public int hashCode() {
        return terms.hashCode();
    }

    @Override
    public String toString() {
        if (isKnown()) {
            return Long.toString(constant());
        }
        StringBuilder text = new StringBuilder();
        terms.forEach((factors, coefficient) -> {
            text.append(text.isEmpty() ? coefficient < 0 ? "-" : "" : coefficient < 0 ? " - " : " + ");
            String product = String.join("*", factors.stream().map(Object::toString).toList());
            if (factors.isEmpty() || Math.abs(coefficient) != 1) {
                text.append(Long.toString(coefficient).replace("-", "")).append(factors.isEmpty() ? "" : "*");
            }
            text.append(product);
        });
        return text.toString();
    }
}
