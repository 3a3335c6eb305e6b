package org.habitline.whole;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ScreenshotCaret;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import org.habitline.RunningLine;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.StrictFakeServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The simulated phone in a real Chromium, with a model that speaks when the test lets it. */
@Tag("endurance")
class SimulatorIT {

  private static final Path SCREENSHOTS = Path.of("target", "screenshots");
  private static final int PHONE_WIDTH = 320;

  @TempDir static Path home;

  private static StrictFakeServer fake;
  private static RunningJar jar;
  private static Chromium chromium;

  private final List<String> complaints = new CopyOnWriteArrayList<>();
  private Page page;

  @BeforeAll
  static void start() {
    fake = StrictFakeServer.start();
    RunningLine.write(home.resolve("config/study.yaml"), RunningLine.NO_GATES);
    jar =
        RunningJar.start(
            home, Map.of("TURN_QUIET_PERIOD", "50ms", "OPENAI_BASE_URL", fake.baseUrl()));
    chromium = Chromium.signedInTo(jar);
  }

  @AfterAll
  static void stop() {
    if (chromium != null) {
      chromium.close();
    }
    jar.close();
    fake.close();
  }

  @BeforeEach
  void openPage() {
    page = chromium.signedIn().newPage();
    page.onConsoleMessage(message -> {
      if (message.type().equals("error") || message.type().equals("warning")) {
        complaints.add(message.text() + " at " + message.location());
      }
    });
    page.onPageError(complaints::add);
  }

  @AfterEach
  void theConsoleStayedQuiet() {
    page.close();
    assertThat(complaints).as("errors on the browser's console").isEmpty();
    assertThat(fake.violations()).isEmpty();
  }

  @Test
  void aReplyIsReadAsItIsSaidAndATextIsDuplicatedWithoutHarm() {
    page.navigate(jarUrl() + "/simulator");
    assertThat(page.locator(".empty")).containsText("No simulated phones yet");
    enrol();
    var phone = page.url() + "/simulator";
    assertThat(replies()).hasCount(1);
    click("Reply as participant");
    assertThat(page).hasURL(phone);

    var latch = new CountDownLatch(1);
    fake.then(Scripted.say("After coffee, walk ten steps. Ready?").heldMidway(latch));
    page.locator("#text").fill("coffee");
    page.locator("#text").press("Enter");
    assertThat(page.locator("#reply-text")).containsText("After");
    assertThat(page.locator("#typing")).containsText("typing");
    assertThat(replies()).hasCount(1);
    latch.countDown();
    assertThat(replies()).hasCount(2);
    assertThat(replies().last()).containsText("After coffee, walk ten steps. Ready?");
    assertThat(page.locator("#reply")).isHidden();
    assertThat(page.locator("#typing")).hasText("");

    click("Duplicate the last text");
    assertThat(page.locator("#notice")).containsText("sent again with the same id");
    assertThat(page.locator("#log .theirs")).hasCount(1);
    assertThat(replies()).hasCount(2);

    click("Fail the next message");
    assertThat(page.locator("#faults")).containsText("undelivered");
    page.locator("#text").fill("tea");
    page.locator("#text").press("Enter");
    assertThat(replies().last().locator(".fate")).containsText("undelivered");
    assertThat(page.locator("#faults li")).hasCount(0);

    click("Delay the next message");
    page.locator("#text").fill("water");
    page.locator("#text").press("Enter");
    assertThat(replies().last().locator(".fate")).containsText("carrier is busy");
    fitsAPhone();

    page.navigate(jarUrl() + "/simulator");
    assertThat(page.locator("#phones")).containsText("Sim Phone");
  }

  private void enrol() {
    page.navigate(jarUrl() + "/participants");
    page.locator("#field-phone_number").fill("+1 555 010 0170");
    page.locator("#field-name").fill("Sim Phone");
    page.locator("#field-timezone").fill("Europe/Berlin");
    click("Enrol");
    assertThat(page).hasURL(Pattern.compile("/participants/conv_[0-9a-f]{24}$"));
  }

  private void fitsAPhone() {
    page.setViewportSize(PHONE_WIDTH, 812);
    assertThat(page.evaluate("() => document.documentElement.scrollWidth")).isEqualTo(PHONE_WIDTH);
    page.screenshot(
        new Page.ScreenshotOptions()
            .setPath(SCREENSHOTS.resolve("simulator.png"))
            .setFullPage(true)
            .setCaret(ScreenshotCaret.INITIAL));
  }

  private void click(String button) {
    page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(button).setExact(true))
        .click();
  }

  private Locator replies() {
    return page.locator("#log .ours");
  }

  private static String jarUrl() {
    return "http://127.0.0.1:" + jar.port();
  }
}
