package dev.verbena.benchmarks.report;

import java.util.List;
import java.util.Map;

import dev.verbena.page.Page;

/**
 * A benchmark as a page: figures with their captions, as in a paper, goals, tables, and on what machine all was measured.
 *
 * <p><b>Owner:</b> its creator. <b>Threading:</b> confined to its owner.
 */
public final class BenchmarkPage extends Page {
    private int figures;

    /** Begins one. */
    public BenchmarkPage(String title, boolean isQuick) {
        super(title, resource(BenchmarkPage.class, "benchmark.css"));
        add("<h1>" + text(title) + "</h1>\n");
        if (isQuick) {
            note("A quick run shows that everything runs, not how fast it is: its times mean nothing.");
        }
    }

    /** In a paragraph. */
    public void note(String sentence) {
        add("<p>" + text(sentence) + "</p>\n");
    }

    /** What follows. */
    public void section(String title) {
        add("<h2>" + text(title) + "</h2>\n");
    }

    /** Plots that belong together, and what they show. */
    public void figure(String caption, List<String> plots) {
        add("<figure>\n<div class=\"plots\">\n");
        plots.forEach(this::add);
        add("</div>\n<figcaption><b>Figure " + ++figures + ".</b> " + text(caption) + "</figcaption>\n</figure>\n");
    }

    /** As it is. */
    public void lines(List<String> lines) {
        add("<pre>" + text(String.join("\n", lines)) + "</pre>\n");
    }

    /** Numbers. */
    public void table(Table table) {
        add(table.html());
    }

    /** As a plot, and in words. */
    public void goals(List<Goal> goals) {
        List<Goal> comparable = goals.stream().filter(Goal::isComparable).toList();
        section("Targets");
        if (!comparable.isEmpty()) {
            figure("How far each target is exceeded (dots, right of 1×) or missed (crosses, left of it), on a logarithmic"
                    + " axis; lines: from the least to the largest of the rounds.",
                    List.of(GoalPlot.svg("Targets, met and missed", comparable)));
        }
        Table table = new Table("Targets", List.of("compared", "", "value", "rounds", "target"));
        goals.forEach(goal -> table.row(goal.what(), List.of(goal.verdict()),
                List.of(Quantity.number(goal.value().median()), rounds(goal.value()), goal.limitText())));
        table(table);
    }

    /** From the least to the largest; nothing if they are the same. */
    public static String rounds(Spread spread) {
        return spread.low() < spread.high() ? Quantity.number(spread.low()) + " to " + Quantity.number(spread.high())
                : "";
    }

    /** On what was measured, and beside what. */
    public void machine(Map<String, ?> machine, Map<String, ?> versions) {
        section("Machine and versions");
        Table table = new Table("Machine and versions", List.of("", ""));
        machine.forEach((name, value) -> table.row(name, List.of(String.valueOf(value)), List.of()));
        versions.forEach((name, value) -> table.row(name, List.of(String.valueOf(value)), List.of()));
        table(table);
    }
}
