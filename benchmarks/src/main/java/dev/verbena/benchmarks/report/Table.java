package dev.verbena.benchmarks.report;

import java.util.List;
import java.util.stream.Collectors;

import dev.verbena.page.Page;

/**
 * The same as a plot, in numbers.
 *
 * <p><b>Owner:</b> its creator. <b>Threading:</b> confined to its owner.
 */
public final class Table {
    private final StringBuilder html = new StringBuilder("<table>\n");

    /** @param heads of the columns, of which the first names what a row is of */
    public Table(String caption, List<String> heads) {
        html.append("<caption>").append(Page.text(caption)).append("</caption>\n<thead><tr>");
        heads.forEach(head -> html.append("<th scope=\"col\">").append(Page.text(head)).append("</th>"));
        html.append("</tr></thead>\n<tbody>\n");
    }

    /** With numbers in it. */
    public void row(String head, List<String> numbers) {
        rowOf(head, numbers.stream().map(number -> Page.number(Page.text(number))).collect(Collectors.joining()));
    }

    /** With words in it, then numbers. */
    public void row(String head, List<String> words, List<String> numbers) {
        rowOf(head, words.stream().map(word -> "<td>" + Page.text(word) + "</td>").collect(Collectors.joining())
                + numbers.stream().map(number -> Page.number(Page.text(number))).collect(Collectors.joining()));
    }

    private void rowOf(String head, String cells) {
        html.append("<tr><th scope=\"row\">").append(Page.text(head)).append("</th>").append(cells).append("</tr>\n");
    }

    String html() {
        return html + "</tbody></table>\n";
    }
}
