package dev.verbena.testing.region;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

import dev.verbena.memory.RunMap;
import dev.verbena.memory.SlabMap;

/** The picture is XML that stands alone, and its rectangles are the runs. */
class RegionSvgTest {
    private static final String SVG = "http://www.w3.org/2000/svg";

    @Test
    void aRectangleForEachRunWithItsFigures() throws Exception {
        Document picture = parse(RegionMapTest.example().toSvg("an arena"));
        List<Element> tiles = elements(picture.getElementsByTagNameNS(SVG, "g"));
        assertEquals(List.of("large block, at 0x0, 64 KiB, live 100.0 %",
                "slots of 256 bytes, at 0x10000, 16 KiB, live 100.0 %",
                "slots of 256 bytes, at 0x14000, 16 KiB, live 50.0 %",
                "slots of 256 bytes, at 0x18000, 16 KiB, live 0.0 %",
                "slots of 1024 bytes, at 0x1c000, 16 KiB, live 18.8 %",
                "free, at 0x20000, 64 KiB, live 0.0 %", "large block, at 0x30000, 32 KiB, live 100.0 %",
                "free, at 0x38000, 32 KiB, live 0.0 %"), tiles.stream().map(RegionSvgTest::title).toList());
        tiles.forEach(tile -> assertEquals(1, rectangles(tile).size()));
        assertEquals(64 * 4, tiles.stream().mapToDouble(RegionSvgTest::area).sum() / 12, 0.01, "pages of 4 pixels");
    }

    @Test
    void itStandsAlone() throws Exception {
        String text = RegionMapTest.example().toSvg("an arena");
        Element root = parse(text).getDocumentElement();
        assertEquals("svg", root.getLocalName());
        assertEquals(SVG, root.getNamespaceURI());
        assertFalse(text.contains("href") || text.contains("<script") || text.contains("<!DOCTYPE"));
    }

    @Test
    void theTitleIsEscaped() throws Exception {
        String title = "a <b> & \"c\" 'd' ]]> \u0007 \uD83D\uDE00 \uD83D";
        Element root = parse(RegionMapTest.example().toSvg(title)).getDocumentElement();
        assertEquals("a <b> & \"c\" 'd' ]]> \uFFFD \uD83D\uDE00 \uFFFD", title(root));
    }

    @Test
    void neighboursThatAreAlikeAreOne() throws Exception {
        RegionMap map = new RegionMap(List.of(new SlabMap(0, List.of(RunMap.slots(0, 4, 256, 64, 50),
                RunMap.slots(4, 4, 256, 64, 60), RunMap.slots(8, 4, 256, 64, 1), RunMap.slots(12, 4, 512, 32, 1),
                RunMap.large(16, 4), RunMap.large(20, 4)))));
        assertEquals(List.of("slots of 256 bytes, 2 runs, at 0x0, 32 KiB, live 85.9 %",
                "slots of 256 bytes, at 0x8000, 16 KiB, live 1.6 %",
                "slots of 512 bytes, at 0xc000, 16 KiB, live 3.1 %", "large block, at 0x10000, 16 KiB, live 100.0 %",
                "large block, at 0x14000, 16 KiB, live 100.0 %"),
                elements(parse(map.toSvg("")).getElementsByTagNameNS(SVG, "g")).stream().map(RegionSvgTest::title)
                        .toList());
    }

    @Test
    void neighboursTooSmallToBeToldApartAreOne() throws Exception {
        List<RunMap> runs = new ArrayList<>();
        int pages = 256 * 64 * 8;
        for (int page = 0; page < pages; page += 2) {
            runs.add(page % 4 == 0 ? RunMap.free(page, 2) : RunMap.large(page, 2));
        }
        RegionMap map = new RegionMap(List.of(new SlabMap(0, runs)));
        List<Element> tiles = elements(parse(map.toSvg("")).getElementsByTagNameNS(SVG, "g"));
        assertEquals(256 * 64, tiles.size());
        assertEquals("of several kinds, 4 runs, at 0x0, 32 KiB, live 50.0 %", title(tiles.getFirst()));
    }

    @Test
    void whatGoesOverTheEndOfARowIsInTheNext() throws Exception {
        RegionMap map = new RegionMap(List.of(new SlabMap(0, List.of(
                RunMap.free(0, 250), RunMap.large(250, 6 + 512 + 1), RunMap.free(769, 255)))));
        Element large = elements(parse(map.toSvg("")).getElementsByTagNameNS(SVG, "g")).get(1);
        List<Element> rectangles = rectangles(large);
        assertEquals(List.of("24.00", "1024.00", "4.00"),
                rectangles.stream().map(one -> one.getAttribute("width")).toList());
        assertEquals(List.of("12.00", "24.00", "12.00"),
                rectangles.stream().map(one -> one.getAttribute("height")).toList());
    }

    @Test
    void regionsOfManyGibibytesHaveFewRectangles() throws Exception {
        Document picture = parse(RegionMapTest.large(new Random(2), 300L << 30).toSvg("large"));
        NodeList rectangles = picture.getElementsByTagNameNS(SVG, "rect");
        assertTrue(rectangles.getLength() > 100 && rectangles.getLength() < 3 * 256 * 64,
                () -> "rectangles=" + rectangles.getLength());
    }

    @Test
    void whatIsNoXmlIsNoticed() {
        assertThrows(org.xml.sax.SAXException.class, () -> parse("<svg><text></svg>"));
    }

    private static Document parse(String text) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newDefaultNSInstance();
        DocumentBuilder builder = factory.newDocumentBuilder();
        builder.setErrorHandler(null);
        return builder.parse(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static List<Element> elements(NodeList nodes) {
        List<Element> elements = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            elements.add((Element) nodes.item(i));
        }
        return elements;
    }

    private static List<Element> rectangles(Element tile) {
        return elements(tile.getElementsByTagNameNS(SVG, "rect"));
    }

    private static double area(Element tile) {
        return rectangles(tile).stream().mapToDouble(one -> Double.parseDouble(one.getAttribute("width"))
                * Double.parseDouble(one.getAttribute("height"))).sum();
    }

    private static String title(Element of) {
        for (Node child = of.getFirstChild(); child != null; child = child.getNextSibling()) {
            if ("title".equals(child.getLocalName())) {
                return child.getTextContent();
            }
        }
        throw new AssertionError("no title");
    }
}
