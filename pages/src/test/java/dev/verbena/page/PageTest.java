package dev.verbena.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageTest {
    @Test
    void textIsNeverMarkup() {
        assertEquals("&lt;b&gt; &amp; &quot;\ufffd", Page.text("<b> & \"\u0007"));
        assertTrue(new Page("<x>", "").end().contains("<title>&lt;x&gt;</title>"));
    }

    @Test
    void aBrowserShowsIt(@TempDir Path folder) throws Exception {
        Page page = new Page("title", "p { margin: 0; }\n");
        page.add("<p id=\"a\">text</p>\n");
        assertTrue(Browser.find().show(page.end(), folder).contains("<p id=\"a\">text</p>"));
    }
}
