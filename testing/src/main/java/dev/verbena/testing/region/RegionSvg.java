package dev.verbena.testing.region;

import java.io.StringWriter;
import java.util.Locale;

import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

import dev.verbena.memory.RunMap;
import dev.verbena.memory.SlabMap;

/**
 * A {@link RegionMap} as SVG 1.1. Each slab is as many rows of equally many pages as it needs; what goes over the end of a row has a
 * rectangle in each row that it touches, those between the first and the last together one.
 *
 * <p><b>Owner:</b> {@link RegionMap}. <b>Threading:</b> confined to its owner.
 */
final class RegionSvg {
    private static final String SVG = "http://www.w3.org/2000/svg";
    private static final int COLUMNS = 256;
    private static final int ROWS_MAX = 64;
    private static final int WIDTH = 1024;
    private static final int ROW_HEIGHT = 12;
    private static final int LINE_HEIGHT = 20;
    private static final int MARGIN = 10;
    /** Of a rectangle; one that is smaller by rights is still to be seen. */
    private static final double WIDTH_MIN = 0.5;

    private final RegionMap map;
    private final String title;
    private final long cellPages;
    private final long rowPages;
    private final StringWriter text = new StringWriter();
    private XMLStreamWriter xml;
    private int y;

    RegionSvg(RegionMap map, String title) {
        this.map = map;
        this.title = printable(title);
        cellPages = RegionText.cellPages(map.pageCount(), COLUMNS * ROWS_MAX);
        rowPages = cellPages * COLUMNS;
    }

    String text() {
        try {
            xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(text);
            writeDocument();
            xml.close();
            return text.toString();
        } catch (XMLStreamException e) {
            throw new IllegalStateException("a picture of the region could not be written: " + e.getMessage(), e);
        }
    }

    private void writeDocument() throws XMLStreamException {
        xml.writeStartDocument();
        start("svg");
        xml.writeDefaultNamespace(SVG);
        attributes("version", "1.1", "width", WIDTH + 2 * MARGIN, "height", height(), "font-family", "sans-serif",
                "font-size", 12, "style", "background:#ffffff");
        element("title", title);
        line(title);
        line(map.summary());
        writeLegend();
        for (int slab = 0; slab < map.slabs().size(); slab++) {
            write(slab, map.slabs().get(slab));
        }
        xml.writeEndElement();
        xml.writeEndDocument();
    }

    private int height() {
        long rows = map.slabs().stream().mapToLong(this::rows).sum();
        return Math.toIntExact((3 + map.slabs().size()) * LINE_HEIGHT + rows * ROW_HEIGHT + 2 * MARGIN);
    }

    private long rows(SlabMap slab) {
        return Math.ceilDiv(slab.pageCount(), rowPages);
    }

    private void writeLegend() throws XMLStreamException {
        RunMap.Kind[] kinds = {RunMap.Kind.FREE, RunMap.Kind.LARGE, RunMap.Kind.SLOTS, null};
        String[] names = {"free", "large blocks", "slots, the darker the more are live", "of several kinds"};
        for (int i = 0; i < kinds.length; i++) {
            int x = MARGIN + i * WIDTH / kinds.length;
            rectangle(x, y + MARGIN, ROW_HEIGHT, ROW_HEIGHT, kinds[i], MapTile.SHADES);
            words(x + LINE_HEIGHT, names[i]);
        }
        y += LINE_HEIGHT;
    }

    private void write(int index, SlabMap slab) throws XMLStreamException {
        line("slab " + index + " address=0x" + Long.toHexString(slab.address()) + ", "
                + ByteCount.text(slab.pageCount() * RunMap.PAGE_BYTE_SIZE) + ", a row is "
                + ByteCount.text(rowPages * RunMap.PAGE_BYTE_SIZE));
        for (MapTile tile : MapTile.of(slab, cellPages)) {
            write(tile);
        }
        y += Math.toIntExact(rows(slab) * ROW_HEIGHT);
    }

    private void write(MapTile tile) throws XMLStreamException {
        start("g");
        element("title", tile.description());
        long page = tile.startPage();
        long end = page + tile.pageCount();
        while (page < end) {
            long row = page / rowPages;
            boolean isWhole = page % rowPages == 0 && end - page >= rowPages;
            long rowCount = isWhole ? (end - page) / rowPages : 1;
            long next = Math.min(end, (row + rowCount) * rowPages);
            rectangle(MARGIN + x(page - row * rowPages), y + MARGIN + row * ROW_HEIGHT,
                    isWhole ? WIDTH : Math.max(WIDTH_MIN, x(next - page)), rowCount * ROW_HEIGHT, tile.kind(),
                    tile.shade());
            page = next;
        }
        xml.writeEndElement();
    }

    private double x(long pages) {
        return (double) pages * WIDTH / rowPages;
    }

    private void rectangle(double x, double top, double width, double height, RunMap.Kind kind, int shade)
            throws XMLStreamException {
        xml.writeEmptyElement("", "rect", SVG);
        attributes("x", x, "y", top, "width", width, "height", height, "fill", colour(kind), "stroke", "#ffffff",
                "stroke-width", 0.25);
        if (kind != RunMap.Kind.FREE) {
            attributes("fill-opacity", 0.2 + 0.8 * shade / MapTile.SHADES);
        }
    }

    private static String colour(RunMap.Kind kind) {
        return switch (kind) {
            case FREE -> "#e6e6e6";
            case LARGE -> "#2f6db3";
            case SLOTS -> "#1e7d3c";
            case null -> "#8a4b9e";
        };
    }

    private void line(String words) throws XMLStreamException {
        words(MARGIN, words);
        y += LINE_HEIGHT;
    }

    private void words(int x, String words) throws XMLStreamException {
        start("text");
        attributes("x", x, "y", y + MARGIN + ROW_HEIGHT);
        xml.writeCharacters(words);
        xml.writeEndElement();
    }

    private void element(String name, String words) throws XMLStreamException {
        start(name);
        xml.writeCharacters(words);
        xml.writeEndElement();
    }

    private void start(String name) throws XMLStreamException {
        xml.writeStartElement("", name, SVG);
    }

    /** Names and values by turns. */
    private void attributes(Object... namesAndValues) throws XMLStreamException {
        for (int i = 0; i < namesAndValues.length; i += 2) {
            Object value = namesAndValues[i + 1];
            xml.writeAttribute(namesAndValues[i].toString(),
                    value instanceof Double number ? String.format(Locale.ROOT, "%.2f", number) : value.toString());
        }
    }

    /** Without what no XML document may contain, however it is written: XML 1.0, production 2, Char. */
    private static String printable(String words) {
        int[] allowed = words.codePoints().map(c -> c == '\t' || c == '\n' || c == '\r' || c >= 0x20 && c <= 0xD7FF
                || c >= 0xE000 && c <= 0xFFFD || c >= 0x10000 ? c : 0xFFFD).toArray();
        return new String(allowed, 0, allowed.length);
    }
}
