package org.habitline.whole;

import static com.microsoft.playwright.options.WaitForSelectorState.DETACHED;
import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.deque.html.axecore.results.Rule;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.PlaywrightException;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.FilePayload;
import com.microsoft.playwright.options.ScreenshotCaret;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every page of the line as axe-core sees it, empty and with somebody in it: nothing serious stands
 * in anybody's way, and nothing is wider than the screen, be it a narrow phone or a wide screen in
 * the dark. FirstRunIT looks at the same pages without a browser.
 */
@Tag("endurance")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class AccessibilityIT {

  /** Pages that are there whoever takes part: a new one goes here. */
  static final List<String> PAGES =
      List.of(
          "/",
          "/today/waiting",
          "/today/failed",
          "/today/undelivered",
          "/today/due",
          "/today/missed",
          "/today/sent",
          "/today/answered",
          "/safety",
          "/participants",
          "/simulator",
          "/participants?q=nobody+of+this+name",
          "/participants?status=unknown",
          "/study",
          "/study?days=all",
          "/study/monitoring",
          "/study/monitoring?kind=nothing",
          "/study?from=2026-02-30&to=2026-02-28",
          "/study/data-package",
          "/study/outcomes",
          "/study/outcomes/code",
          "/study/outcomes/code/last",
          "/access",
          "/access/people",
          "/access/sessions",
          "/account",
          "/invitation",
          "/participants/import",
          "/bulk",
          "/system",
          "/system/audit",
          "/system/audit?actor=nobody",
          "/api-docs",
          "/glossary",
          "/design",
          "/nowhere");

  /** The pages of one participant with at least one turn. */
  static Stream<String> ofParticipant(String id) {
    return Stream.of(
            "",
            "/turns/1",
            "/simulator",
            "/schedules",
            "/profile",
            "/details",
            "/notes",
            "/flow",
            "/flow?flow=tasks",
            "/timeline")
        .map(page -> "/participants/" + id + page);
  }

  /** What Swagger draws is Swagger's. */
  private static final String NOT_OURS = "#api";

  private static final Set<String> IN_THE_WAY = Set.of("serious", "critical");
  private static final Path SCREENSHOTS = Path.of("target", "screenshots", "pages");
  private static final int INTERNAL_ERROR = 500;
  private static final int PHONE_WIDTH = 320;

  /** A way of looking at a page. */
  private record Look(ColorScheme scheme, int width) {}

  private static final List<Look> LOOKS =
      List.of(new Look(ColorScheme.LIGHT, PHONE_WIDTH), new Look(ColorScheme.DARK, 1280));

  @TempDir static Path home;

  private static RunningJar jar;
  private static Chromium chromium;
  private static Page page;
  private static String participant = "";

  private static final List<String> REFUSED = new CopyOnWriteArrayList<>();

  @BeforeAll
  static void start() {
    jar = RunningJar.start(home, Map.of("TURN_QUIET_PERIOD", "50ms"));
    chromium = Chromium.signedInTo(jar);
    page = chromium.signedIn().newPage();
    page.onConsoleMessage(message -> {
      if (message.text().contains("Content Security Policy")) {
        REFUSED.add(message.text());
      }
    });
    page.onPageError(REFUSED::add);
  }

  @AfterAll
  static void stop() {
    if (chromium != null) {
      chromium.close();
    }
    jar.close();
  }

  private static String url(String address) {
    return "http://127.0.0.1:" + jar.port() + address;
  }

  @Test
  @Order(1)
  void aLineWithNobodyInItIsInNobodysWay() {
    assertThat(PAGES.stream().flatMap(address -> complaints("empty", address))).isEmpty();
    assertThat(REFUSED).isEmpty();
  }

  @Test
  @Order(2)
  void aLineThatWorksIsInNobodysWay() {
    var address = participantWhoTexted();
    assertThat(
            Stream.of(
                    PAGES.stream(),
                    ofParticipant(address.substring(address.lastIndexOf('/') + 1)),
                    Stream.of(
                        "/participants?q=Fiona",
                        "/participants?opted_out=true",
                        "/participants?sort=-last_heard&columns=study_id,tags,zone,enrolled"))
                .flatMap(addresses -> addresses)
                .flatMap(shown -> complaints("filled", shown)))
        .isEmpty();
    assertThat(REFUSED).isEmpty();
  }

  @Test
  @Order(3)
  void chartsAreDrawnFromTheirTables() {
    page.navigate(url("/study"));
    assertThat(page.locator("figure[data-chart]").count()).isGreaterThanOrEqualTo(6);
    page.locator("#engineering > summary").click();
    // Counts that are all zero are not drawn.
    assertThat(page.locator("figure canvas").count()).isGreaterThanOrEqualTo(5);
    PlaywrightAssertions.assertThat(page.locator("#engineering canvas").last())
        .hasAttribute("style", Pattern.compile("height"));
    assertThat(
            page.evaluate(
                "() => [...document.querySelectorAll('figure canvas')].every((canvas) => {"
                    + "const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;"
                    + "return pixels.some((value) => value !== 0);})"))
        .isEqualTo(true);
    assertThat(page.locator("figure details table").count())
        .isEqualTo(page.locator("figure[data-chart]").count());
    assertThat(REFUSED).isEmpty();
  }

  @Test
  @Order(5)
  void aSafetyIncidentIsInNobodysWay() {
    var address = participantWhoTexted();
    page.navigate(url(address + "/simulator"));
    page.locator("#text").fill("I want to kill myself tonight");
    page.locator("#text").press("Enter");
    page.locator("#danger a").waitFor();
    var incident = page.locator("#danger a").getAttribute("href");
    assertThat(
            Stream.of(incident, "/safety", "/", address)
                .flatMap(shown -> complaints("in danger", shown)))
        .isEmpty();
    page.navigate(url(incident));
    page.locator("#acknowledge").click();
    page.locator("#acknowledge").waitFor(new Locator.WaitForOptions().setState(DETACHED));
    page.locator("input[value=contact]").check();
    page.locator("#entry-note").fill("Spoke on the phone. Safe at home.");
    page.locator("#entry-form button").click();
    page.locator("#not-yet").waitFor(new Locator.WaitForOptions().setState(DETACHED));
    assertThat(complaints("contacted", incident)).isEmpty();
    page.locator("input[value=no_concern_found]").check();
    page.locator("#release-message").fill("Thank you for talking with me today.");
    page.locator("#release-form button").click();
    page.locator("#release-form").waitFor(new Locator.WaitForOptions().setState(DETACHED));
    assertThat(complaints("released", incident)).isEmpty();
    assertThat(REFUSED).isEmpty();
  }

  @Test
  @Order(4)
  void whatIsRefusedAndTheStopThatIsOpenAreInNobodysWay() {
    var complaints = new ArrayList<String>();
    for (var look : LOOKS) {
      page.setViewportSize(look.width(), 800);
      page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(look.scheme()));
      page.navigate(url("/participants"));
      if (page.locator("#enrol-one").getAttribute("open") == null) {
        page.locator("#enrol-one > summary").click();
      }
      page.locator("#field-phone_number").fill("12");
      page.locator("#field-timezone").fill("Mars/Base");
      page.locator("#enrol-one button").click();
      page.locator("#error-phone_number").waitFor();
      complaints.addAll(complaintsNow("enrolment refused", look));
      page.locator("#stop-control summary").click();
      complaints.addAll(complaintsNow("stop open", look));
      page.navigate(url("/participants/import"));
      upload("phone_number,phone_number\n12,12\n");
      page.locator("#complaint").waitFor();
      complaints.addAll(complaintsNow("import refused", look));
      page.navigate(url("/participants/import"));
      upload("phone_number,nmae\n12,Robin Example\n");
      page.locator("#columns").waitFor();
      complaints.addAll(complaintsNow("columns of an import", look));
      page.navigate(url("/participants/import"));
      upload("phone_number,name\n+15550100143,Robin Example\n12,Robin Example\n");
      page.locator("tbody tr").first().waitFor();
      complaints.addAll(complaintsNow("import previewed", look));
    }
    assertThat(complaints).isEmpty();
    assertThat(REFUSED).isEmpty();
  }

  private static void upload(String csv) {
    page.locator("input[type=file]")
        .setInputFiles(
            new FilePayload("people.csv", "text/csv", csv.getBytes(StandardCharsets.UTF_8)));
    page.locator("main form button").first().click();
  }

  /** What is wrong with the page as it is at this moment. */
  private static List<String> complaintsNow(String state, Look look) {
    var where = state + " " + look.scheme() + " " + look.width() + ": ";
    seen(where);
    var complaints = new ArrayList<>(wrong().map(what -> where + what).toList());
    var wide = (int) page.evaluate("() => document.documentElement.scrollWidth");
    if (wide > look.width()) {
      complaints.add(where + "is " + wide + " wide");
    }
    return complaints;
  }

  /** Enrols somebody who texts, once; returns the address of their page. */
  private static String participantWhoTexted() {
    if (!participant.isEmpty()) {
      return participant;
    }
    page.setViewportSize(1280, 800);
    page.navigate(url("/participants"));
    page.locator("#field-phone_number").fill("+1 555 010 0142");
    page.locator("#field-name").fill("Fiona Fictional");
    page.locator("#enrol-one button").click();
    page.locator("#log .ours").first().waitFor();
    var address = page.url().substring(url("").length());
    page.navigate(url(address + "/simulator"));
    page.locator("#text").fill("Personal first, please.");
    page.locator("#text").press("Enter");
    page.locator("#log .ours").nth(1).waitFor();
    participant = address;
    return address;
  }

  /** What is wrong with a page, in each way of looking at it. */
  private static Stream<String> complaints(String state, String address) {
    var complaints = new ArrayList<String>();
    for (var look : LOOKS) {
      page.setViewportSize(look.width(), 800);
      page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(look.scheme()));
      var answer = page.navigate(url(address));
      var where = address + " " + state + " " + look.scheme() + " " + look.width() + ": ";
      seen(where);
      if (answer == null || answer.status() >= INTERNAL_ERROR) {
        complaints.add(where + "cannot be shown");
      }
      wrong().map(what -> where + what).forEach(complaints::add);
      var wide = (int) page.evaluate("() => document.documentElement.scrollWidth");
      if (wide > look.width()) {
        complaints.add(where + "is " + wide + " wide");
      }
      var ends =
          (boolean)
              page.evaluate(
                  "() => document.documentElement.scrollHeight <= 1"
                      + " + Math.max(innerHeight, document.body.getBoundingClientRect().bottom + scrollY)");
      // The page of the API is laid out by its library.
      if (!ends && !address.equals("/api-docs")) {
        complaints.add(where + "goes on below its end");
      }
    }
    return complaints.stream();
  }

  /** Keeps a picture for people; on a busy machine, Chromium may fail to take one at first. */
  private static void seen(String where) {
    try {
      picture(where);
    } catch (PlaywrightException busy) {
      picture(where);
    }
  }

  private static void picture(String where) {
    page.screenshot(
        new Page.ScreenshotOptions()
            .setPath(SCREENSHOTS.resolve(where.replaceAll("[^A-Za-z0-9]+", "-") + ".png"))
            .setFullPage(true)
            .setCaret(ScreenshotCaret.INITIAL));
  }

  private static Stream<String> wrong() {
    return new AxeBuilder(page)
        .exclude(NOT_OURS).setLegacyMode(true).analyze().getViolations().stream()
            .filter(rule -> IN_THE_WAY.contains(rule.getImpact()))
            .map(AccessibilityIT::told);
  }

  private static String told(Rule rule) {
    return rule.getId()
        + " "
        + rule.getNodes().stream()
            .map(node -> node.getHtml() + " " + node.getFailureSummary())
            .limit(3)
            .toList();
  }
}
