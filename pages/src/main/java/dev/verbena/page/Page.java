package dev.verbena.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A page of HTML that needs nothing else, in light and dark, and on paper.
 *
 * <p><b>Owner:</b> its creator. <b>Threading:</b> confined to its owner.
 */
public class Page {
    /** In turns: colours that people who do not see all of them tell apart (Okabe and Ito). */
    private static final List<String> COLOURS = List.of("#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#f0e442",
            "#d55e00", "#0072b2", "#999999");

    private final StringBuilder html = new StringBuilder();

    /**
     * Begins one.
     *
     * @param style of what this kind of page has beyond others, in CSS
     */
    public Page(String title, String style) {
        add("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>");
        add(text(title) + "</title>\n<meta name=\"viewport\" content=\"width=device-width\">\n");
        // Browsers ask for an icon, and complain where there is none.
        add("<link rel=\"icon\" href=\"data:,\">\n<style>\n" + resource(Page.class, "page.css") + style
                + "</style>\n</head>\n<body>\n");
    }

    /** @param text of the page; what is not the program's own has gone through {@link #text} */
    public final void add(String text) {
        html.append(text);
    }

    /** Ends it. @return all of it */
    public String end() {
        add("</body>\n</html>\n");
        return html.toString();
    }

    /** Of one of several things. */
    public static String colour(int thing) {
        return COLOURS.get(thing % COLOURS.size());
    }

    /** A cell of a table. */
    public static String number(String text) {
        return "<td class=\"number\">" + text + "</td>";
    }

    /** Names come from models and data, which may be anybody's. Control characters have no place in a page. */
    public static String text(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;")
                .replaceAll("[\\p{Cntrl}&&[^\\n]]", "\ufffd");
    }

    /** A file that lies beside a class. */
    public static String resource(Class<?> beside, String name) {
        try (InputStream stream = beside.getResourceAsStream(name)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
