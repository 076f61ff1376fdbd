package dev.verbena.graph.onnx;

import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Shape functions of operators, by domain, name, and the version of the domain's operators since which they hold.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class ShapeFunctions {
    private final Map<String, NavigableMap<Long, ShapeFunction>> functions;

    private ShapeFunctions(Map<String, NavigableMap<Long, ShapeFunction>> functions) {
        this.functions = functions;
    }

    /** Of no operator. */
    public static ShapeFunctions none() {
        return new ShapeFunctions(Map.of());
    }

    /**
     * With a further one, or another one in place of one.
     *
     * @param domain "" for ONNX's own
     * @param since the version of the domain's operators since which it holds, until the next that is registered
     */
    public ShapeFunctions with(String domain, String operator, long since, ShapeFunction function) {
        Map<String, NavigableMap<Long, ShapeFunction>> more = new HashMap<>(functions);
        more.compute(key(domain, operator), (key, versions) -> {
            NavigableMap<Long, ShapeFunction> copy = versions == null ? new TreeMap<>() : new TreeMap<>(versions);
            copy.put(since, function);
            return copy;
        });
        return new ShapeFunctions(more);
    }

    /** That which holds in a version: the latest until then. */
    public Optional<ShapeFunction> find(String domain, String operator, long version) {
        NavigableMap<Long, ShapeFunction> versions = functions.get(key(domain, operator));
        return Optional.ofNullable(versions).map(each -> each.floorEntry(version)).map(Map.Entry::getValue);
    }

    /** Qualified names, sorted. */
    public Set<String> operators() {
        return new TreeSet<>(functions.keySet());
    }

    private static String key(String domain, String operator) {
        return domain.isEmpty() ? operator : domain + "." + operator;
    }
}
