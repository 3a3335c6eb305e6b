package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.deque.html.axecore.results.Rule;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.PlaywrightException;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.FilePayload;
import com.microsoft.playwright.options.RequestOptions;
import com.microsoft.playwright.options.ScreenshotCaret;
import com.microsoft.playwright.options.WaitForSelectorState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Photographs every page, for people who look: on each width, light and dark, of an installation
 * with nobody in it, of one with weeks of rehearsed data, and of what is refused or goes wrong.
 * {@code mvn -Ppictures verify} writes {@code target/pictures}: the pictures, those of {@code
 * docs/screenshots}, and {@code pages.csv} with the server's time, what axe-core says, and what is
 * wider than the screen. Axe looks at the narrowest page in light and at a wide one in the dark.
 */
@Tag("pictures")
class PicturesIT {

  private static final Path PICTURES = Path.of("target", "pictures");
  private static final List<Integer> WIDTHS = List.of(375, 768, 1280, 1600);
  private static final int DESK = 1280;
  private static final int PHONE = 375;
  private static final int REHEARSED_DAYS = 21;
  private static final int REHEARSED_PEOPLE = 12;
  private static final int SELECTED = 5;

  /** Where the width is in a PNG file: after its signature and the head of its first chunk. */
  private static final int WIDTH_IN_PNG = 16;

  private static final Set<String> IN_THE_WAY = Set.of("serious", "critical");

  private static final String API = "/api-docs";

  /** What Swagger draws is Swagger's. */
  private static final String NOT_OURS = "#api";

  private static final List<String> NAMES =
      List.of(
          "Fiona Fictional",
          "Walter Waits",
          "Wanda Window",
          "Bea Brief",
          "Stella Steady",
          "Juno Journey",
          "Petra Patient",
          "Tara Thorough",
          "Lena Listed",
          "Quinn Quiet",
          "Ines Example",
          "Nils Nobody");

  /** The local hour of the first daily prompt; each participant gets theirs an hour later. */
  private static final int FIRST_PROMPT = 8;

  private static final List<String> HOW_IT_WENT = List.of("Done", "Next time", "Done", "Done");

  private static final List<String> RECORDS = new ArrayList<>();
  private static final List<String> IN_WAY = new ArrayList<>();

  @TempDir Path home;

  private RunningJar jar;
  private Page page;

  /** A page to photograph. */
  private record Shot(String name, String address) {

    static Shot of(String address) {
      var name = address.replaceAll("[^A-Za-z0-9]+", "-").replaceAll("^-|-$", "");
      return new Shot(name.isEmpty() ? "today" : name.toLowerCase(Locale.ROOT), address);
    }
  }

  private interface Work {
    void run() throws IOException;
  }

  private void on(Path installation, Work work) throws IOException {
    // A rehearsal had weeks of turns a minute ago, which count against the limit.
    jar =
        RunningJar.start(
            installation, Map.of("TURN_QUIET_PERIOD", "50ms", "TURNS_PER_MINUTE", "0"));
    try (var chromium = Chromium.signedInTo(jar)) {
      page = chromium.signedIn().newPage();
      work.run();
    } finally {
      jar.close();
    }
  }

  @AfterAll
  static void write() throws IOException {
    Files.createDirectories(PICTURES);
    Files.writeString(
        PICTURES.resolve("pages.csv"),
        "state,page,address,status,server_ms,axe_375_light,axe_1280_dark,too_wide\n"
            + String.join("\n", RECORDS)
            + "\n");
  }

  @Test
  void anInstallationWithNobodyInItAndTheTour() throws IOException {
    on(
        home,
        () -> {
          AccessibilityIT.PAGES.forEach(address -> photograph("empty", Shot.of(address)));
          desk();
          page.navigate(url("/"));
          page.locator("#tour button").click();
          page.locator("#log .ours").first().waitFor();
          for (var step : List.of("phone", "why", "daily-prompt", "clock", "study", "leave")) {
            photographNow("tour", step);
            desk();
            if (!step.equals("leave")) {
              page.locator("#tour form[action='/tour/next'] button").click();
            }
          }
        });
    assertThat(IN_WAY).isEmpty();
  }

  @Test
  void anInstallationWithWeeksOfRehearsedData() throws IOException {
    on(
        rehearsed(),
        () -> {
          var people = people();
          // Before anything else happens, so that the charts show the rehearsed weeks only.
          readme("study.png", "/study", ColorScheme.LIGHT, DESK);
          promptedAgain(people);
          busyDay(people);
          var first = people.getFirst();
          readme(first, people.get(1));
          AccessibilityIT.PAGES.forEach(address -> photograph("full", Shot.of(address)));
          photograph("full", new Shot("participant", first));
          photograph("full", new Shot("participant-taken-over", people.get(1)));
          photograph("full", new Shot("participant-daily-prompts", first + "/schedules"));
          photograph("full", new Shot("participant-phone", first + "/simulator"));
          photograph("full", new Shot("why-this-reply", first + "/turns/3"));
          photograph("full", new Shot("participants-search", "/participants?q=Fiona"));
          openWhy(first);
          photographNow("full", "participant-why-open");
          for (var part : List.of("profile", "details", "flow", "notes", "timeline")) {
            photograph("full", new Shot("participant-" + part, first + "/" + part));
          }
          list();
        });
    assertThat(IN_WAY).isEmpty();
  }

  @Test
  void whatIsRefusedAndWhatGoesWrong() throws IOException {
    on(
        home,
        () -> {
          var address = enrol("+1 555 010 0142", "Fiona Fictional");
          page.navigate(url("/participants"));
          page.locator("#enrol-one > summary").click();
          page.locator("#field-phone_number").fill("12");
          page.locator("#field-timezone").fill("Mars/Base");
          page.locator("#enrol-one button").click();
          page.locator("#error-phone_number").waitFor();
          photographNow("error", "enrolment-refused");
          desk();
          page.navigate(url("/participants/import"));
          upload("phone_number,phone_number\n12,12\n");
          page.locator("#complaint").waitFor();
          photographNow("error", "import-refused");
          desk();
          page.navigate(url("/participants/import"));
          upload("phone_number,nmae\n12,Robin Example\n");
          page.locator("#columns").waitFor();
          photographNow("error", "import-columns");
          desk();
          page.navigate(url("/participants/import"));
          upload("phone_number,name\n+15550100143,Robin Example\n12,Robin Example\n");
          page.locator("tbody tr").first().waitFor();
          photographNow("error", "import-previewed");
          desk();
          page.navigate(url(address + "/schedules"));
          page.locator("#start-new").fill("09:00");
          page.locator("#start-new").locator("xpath=ancestor::form").locator("button").click();
          page.locator("[aria-invalid], #complaint").first().waitFor();
          photographNow("error", "daily-prompt-refused");
          desk();
          failNextMessage(address);
          photograph("error", new Shot("message-not-delivered", address));
          photograph("error", new Shot("today-not-delivered", "/"));
          text(address, "STOP");
          page.navigate(url(address));
          page.locator("#standing .banner-danger").waitFor();
          photographNow("error", "participant-opted-out");
          desk();
          var other = enrol("+1 555 010 0160", "Juno Journey");
          text(other, "I want to kill myself tonight");
          page.locator("#danger a").waitFor();
          var incident = page.locator("#danger a").getAttribute("href");
          photograph("error", new Shot("incident", incident));
          photograph("error", new Shot("incidents", "/safety"));
          photograph("error", new Shot("today-in-danger", "/"));
          photograph("error", new Shot("participant-in-danger", other));
          desk();
          page.navigate(url("/participants"));
          page.locator("#stop-control summary").click();
          photographNow("error", "stop-open");
          desk();
          page.locator("#stop-control [name=reason]").fill("The prompt names the wrong day.");
          page.locator("#stop-control button[type=submit]").click();
          page.locator("#stopped").waitFor();
          photographNow("error", "all-sending-stopped");
        });
    assertThat(IN_WAY).isEmpty();
  }

  /** What opens on the list of participants, and the preview of a message to some of them. */
  private void list() {
    desk();
    page.navigate(url("/participants"));
    page.locator("#columns > summary").click();
    photographNow("full", "participants-columns");
    desk();
    page.navigate(url("/participants"));
    page.locator(".filters > summary").click();
    photographNow("full", "participants-filters");
    desk();
    page.navigate(url("/participants?silent_days=2"));
    page.locator("#save-view > summary").click();
    page.locator("#view-name").fill("Silent for two days");
    page.locator("#save-view form button").first().click();
    page.locator(".views .chip").first().waitFor();
    page.navigate(url("/participants"));
    for (int i = 0; i < SELECTED; i++) {
      page.locator("#people input[name=id]").nth(i).check();
    }
    photographNow("full", "participants-selected");
    desk();
    page.locator("#selection button[value=message]").click();
    page.locator("#field-text").fill("The study team is away on Friday.");
    page.locator("form[action$='/words'] button").click();
    page.locator("#field-count").waitFor();
    photographNow("full", "bulk-message-preview");
    desk();
    page.locator("#field-count")
        .fill(page.locator("label[for=field-count]").innerText().replaceAll("\\D", ""));
    page.locator("form[action$='/confirm'] button").click();
    page.locator("#undo").waitFor();
    page.locator("#undo")
        .waitFor(new Locator.WaitForOptions().setState(WaitForSelectorState.HIDDEN));
    photographNow("full", "bulk-message-done");
  }

  // --- data ---

  /** The home folder of a rehearsal. Its study time goes on where the rehearsal ended. */
  private Path rehearsed() throws IOException {
    var kept = Files.createDirectories(home.resolve("kept"));
    var from = LocalDate.now(ZoneOffset.UTC);
    var ended =
        RunningJar.startInVain(
            home.resolve("program"),
            // Kept where the test's own folder is, which is deleted.
            Map.of("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + kept),
            "rehearse",
            "--participants",
            String.valueOf(REHEARSED_PEOPLE),
            "--days",
            String.valueOf(REHEARSED_DAYS),
            "--from",
            from.toString(),
            "--timezone",
            "Europe/Berlin",
            "--keep");
    var said = Pattern.compile("(?m)^Kept in (.+)$").matcher(ended.output());
    assertThat(said.find()).as(ended.output()).isTrue();
    return Path.of(said.group(1).strip());
  }

  /** The pages of the rehearsed people who did not say STOP. All of them get names. */
  private List<String> people() {
    var everybody = listed("/participants");
    assertThat(everybody).hasSize(REHEARSED_PEOPLE);
    for (int i = 0; i < everybody.size(); i++) {
      rename(everybody.get(i), NAMES.get(i));
    }
    return listed("/participants?participation=active");
  }

  private List<String> listed(String address) {
    page.navigate(url(address));
    return page.locator("#people a[href^='/participants/conv_']").all().stream()
        .map(link -> link.getAttribute("href"))
        .distinct()
        .sorted()
        .toList();
  }

  /** The rehearsal names nobody. */
  private void rename(String address, String name) {
    var answer =
        page.request().put(url("/conversation" + address), json("{\"name\":\"" + name + "\"}"));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
  }

  /**
   * A rehearsal ends everybody's daily prompts. All but the last get one again, a day passes, and
   * some say how it went.
   */
  private void promptedAgain(List<String> people) {
    for (int i = 0; i < people.size() - 1; i++) {
      var body = "{\"time\":\"%02d:%02d\"}".formatted(FIRST_PROMPT + i, i * 10 % 60);
      var answer =
          page.request().post(url("/conversation" + people.get(i) + "/schedules"), json(body));
      assertThat(answer.ok()).as(answer.text()).isTrue();
    }
    var walked = page.request().post(url("/clock"), json("{\"advance\":\"1d\"}"));
    assertThat(walked.ok()).as(walked.text()).isTrue();
    for (int i = 0; i < HOW_IT_WENT.size(); i++) {
      text(people.get(i + 3), HOW_IT_WENT.get(i));
      page.locator("#log > li:last-child.ours").waitFor();
    }
  }

  private RequestOptions json(String body) {
    return RequestOptions.create()
        .setHeader("Origin", url(""))
        .setHeader("Content-Type", "application/json")
        .setData(body);
  }

  /** One of them waits for staff, and a message to another does not arrive. */
  private void busyDay(List<String> people) {
    page.navigate(url(people.get(1)));
    page.locator("#staff-text").fill("This is the study team. Shall we talk?");
    page.locator("#staff-form button").click();
    page.locator("#held").waitFor();
    text(people.get(1), "Yes please, tomorrow after nine.");
    failNextMessage(people.get(2));
    text(people.getFirst(), "It went well today, I did it twice.");
    page.locator("#log > li:last-child.ours").waitFor();
  }

  /** The next reply to this phone is reported as undelivered. */
  private void failNextMessage(String address) {
    page.navigate(url(address + "/simulator"));
    page.locator("button[value=fail]").click();
    text(address, "Could you say that again?");
    page.navigate(url(address));
    page.locator(".msg-failed").first().waitFor();
  }

  private void text(String address, String words) {
    page.navigate(url(address + "/simulator"));
    page.locator("#text").fill(words);
    page.locator("#text").press("Enter");
    page.locator("#log .theirs").filter(having(words)).last().waitFor();
  }

  private static Locator.FilterOptions having(String words) {
    return new Locator.FilterOptions().setHasText(words);
  }

  private String enrol(String phone, String name) {
    desk();
    page.navigate(url("/participants"));
    if (page.locator("#enrol-one").getAttribute("open") == null) {
      page.locator("#enrol-one > summary").click();
    }
    page.locator("#field-phone_number").fill(phone);
    page.locator("#field-name").fill(name);
    page.locator("#enrol-one button").click();
    page.locator("#log .ours").first().waitFor();
    return page.url().substring(url("").length());
  }

  private void upload(String csv) {
    page.locator("input[type=file]")
        .setInputFiles(
            new FilePayload("people.csv", "text/csv", csv.getBytes(StandardCharsets.UTF_8)));
    page.locator("main form button").first().click();
  }

  // --- pictures ---

  private String url(String address) {
    return "http://127.0.0.1:" + jar.port() + address;
  }

  private void desk() {
    look(ColorScheme.LIGHT, DESK);
  }

  private void look(ColorScheme scheme, int width) {
    page.setViewportSize(width, 900);
    page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(scheme));
  }

  /** Opens a page in each colour scheme, because charts are drawn in the colours of the start. */
  private void photograph(String state, Shot shot) {
    var axe = new TreeMap<ColorScheme, String>();
    var wide = new ArrayList<String>();
    var status = 0;
    var millis = 0L;
    for (var scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
      look(scheme, DESK);
      var answer = page.navigate(url(shot.address()));
      if (answer != null) {
        status = answer.status();
        var timing = answer.request().timing();
        millis = Math.round(timing.responseStart - timing.requestStart);
      }
      if (shot.address().equals(API)) {
        page.locator(NOT_OURS + " .opblock-tag").first().waitFor();
      }
      axe.put(scheme, inEachWidth(state, shot.name(), scheme, wide));
    }
    record(state, shot, status + "," + millis, axe, wide);
  }

  /** Photographs the page as it is. */
  private void photographNow(String state, String name) {
    var axe = new TreeMap<ColorScheme, String>();
    var wide = new ArrayList<String>();
    for (var scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
      axe.put(scheme, inEachWidth(state, name, scheme, wide));
    }
    record(state, new Shot(name, "(after a form)"), ",", axe, wide);
  }

  private static void record(
      String state, Shot shot, String figures, Map<ColorScheme, String> axe, List<String> wide) {
    RECORDS.add(
        "%s,%s,\"%s\",%s,\"%s\",\"%s\",\"%s\""
            .formatted(
                state,
                shot.name(),
                shot.address(),
                figures,
                axe.get(ColorScheme.LIGHT),
                axe.get(ColorScheme.DARK),
                String.join(" ", wide)));
  }

  /** Returns what axe says in the width in which it looks at this scheme. */
  private String inEachWidth(String state, String name, ColorScheme scheme, List<String> wide) {
    var said = "";
    for (var width : WIDTHS) {
      look(scheme, width);
      var word = scheme.name().toLowerCase(Locale.ROOT);
      var file = PICTURES.resolve(state).resolve(name + "-" + width + "-" + word + ".png");
      shoot(file);
      if (widthOf(file) > width
          || (int) page.evaluate("() => document.documentElement.scrollWidth") > width) {
        wide.add(width + "-" + word);
        IN_WAY.add(state + " " + name + " is wider than " + width);
      }
      if (width == (scheme == ColorScheme.LIGHT ? PHONE : DESK)) {
        said = axe(state + " " + name + " " + word);
      }
    }
    return said;
  }

  /** A picture is as wide as its page was at that moment, which may be wider than the window. */
  private static int widthOf(Path picture) {
    try {
      return ByteBuffer.wrap(Files.readAllBytes(picture)).getInt(WIDTH_IN_PNG);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String axe(String where) {
    var found = new AxeBuilder(page).exclude(NOT_OURS).setLegacyMode(true).analyze();
    found.getViolations().stream()
        .filter(rule -> IN_THE_WAY.contains(rule.getImpact()))
        .map(rule -> where + ": " + rule.getId() + nodes(rule))
        .forEach(IN_WAY::add);
    return found.getViolations().stream()
        .map(rule -> rule.getImpact() + " " + rule.getId() + " x" + rule.getNodes().size())
        .collect(Collectors.joining("; "));
  }

  private static List<String> nodes(Rule rule) {
    return rule.getNodes().stream().map(node -> node.getHtml()).limit(3).toList();
  }

  /** The pictures of docs/screenshots, one of which the README shows. */
  private void readme(String participant, String takenOver) {
    readme("today.png", "/", ColorScheme.LIGHT, DESK);
    readme("system.png", "/system", ColorScheme.LIGHT, DESK);
    readme("list-dark.png", "/participants", ColorScheme.DARK, DESK);
    readme("participant.png", participant, ColorScheme.LIGHT, DESK);
    readme("participant-narrow.png", participant, ColorScheme.LIGHT, PHONE);
    readme("simulator.png", participant + "/simulator", ColorScheme.LIGHT, DESK);
    readme("simulator-narrow.png", participant + "/simulator", ColorScheme.LIGHT, PHONE);
    readme("takeover.png", takenOver, ColorScheme.LIGHT, DESK);
    readme("takeover-narrow.png", takenOver, ColorScheme.LIGHT, PHONE);
    openWhy(participant);
    shoot(PICTURES.resolve("readme").resolve("why.png"));
  }

  private void openWhy(String participant) {
    desk();
    page.navigate(url(participant));
    page.locator("#log .ours").last().getByText("Why?").click();
    page.locator("#why-body").getByText("Module").first().waitFor();
  }

  private void readme(String file, String address, ColorScheme scheme, int width) {
    look(scheme, width);
    page.navigate(url(address));
    shoot(PICTURES.resolve("readme").resolve(file));
  }

  /** On a busy machine, Chromium may fail to take a picture at first. */
  private void shoot(Path file) {
    // Two frames: what a new width changes is laid out, and charts are drawn again.
    page.evaluate(
        "() => new Promise(done => { scrollTo(0, 0);"
            + " requestAnimationFrame(() => requestAnimationFrame(done)); })");
    var options =
        new Page.ScreenshotOptions()
            .setPath(file)
            .setFullPage(true)
            // To hide it, Playwright would need an inline style.
            .setCaret(ScreenshotCaret.INITIAL);
    try {
      page.screenshot(options);
    } catch (PlaywrightException busy) {
      page.screenshot(options);
    }
  }
}
