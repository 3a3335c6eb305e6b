package org.habitline.whole;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.eatthepath.otp.HmacOneTimePasswordGenerator;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.FilePayload;
import com.microsoft.playwright.options.ScreenshotCaret;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.InvalidKeyException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import javax.crypto.spec.SecretKeySpec;
import org.apache.commons.codec.binary.Base32;
import org.habitline.Patience;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Staff in front of a browser: the packaged program with nothing configured, a real Chromium, and
 * every step waiting for what it must lead to. Each build plays one intake; the long tests do the
 * rest.
 */
class BrowserIT {

  private static final Path SCREENSHOTS = Path.of("target", "screenshots");
  private static final int PHONE_WIDTH = 320;

  @TempDir static Path home;

  private static RunningJar jar;
  private static Chromium chromium;
  private static Browser browser;
  private static BrowserContext signedIn;
  private static String loginLink;

  private final List<String> complaints = new CopyOnWriteArrayList<>();
  private Page page;

  @BeforeAll
  static void startAndSignIn() {
    jar = RunningJar.start(home, Map.of("TURN_QUIET_PERIOD", "50ms"));
    chromium = Chromium.signedInTo(jar);
    browser = chromium.browser();
    signedIn = chromium.signedIn();
    loginLink = chromium.loginLink();
  }

  @AfterAll
  static void stop() {
    if (chromium != null) {
      chromium.close();
    }
    jar.close();
  }

  @BeforeEach
  void openPage() {
    page = watched(signedIn);
  }

  /** A page whose console and errors are listened to. */
  private Page watched(BrowserContext context) {
    var opened = context.newPage();
    opened.onConsoleMessage(message -> {
      if (message.type().equals("error") || message.type().equals("warning")) {
        complaints.add(message.text() + " at " + message.location());
      }
    });
    opened.onPageError(complaints::add);
    return opened;
  }

  @AfterEach
  void theConsoleStayedQuiet() {
    page.close();
    assertThat(complaints).as("errors on the browser's console").isEmpty();
  }

  @Test
  void aWholeIntakeIsPlayedOnTheSimulatedPhoneAndExplained() {
    enrolByKeyboard("+1 555 010 0142", "Fiona Fictional");
    assertThat(page.locator("#rehearsal")).containsText("Rehearsal");
    assertThat(page.locator("#rehearsal")).containsText("phone simulator");
    assertThat(replies()).hasCount(1);
    assertThat(replies().first()).containsText("rehearsal");

    takePhone();
    say("Personal first, please.");
    say("While the coffee brews");
    say("more energy");
    say("8:15 in the morning");
    say("No, that is all.");
    var prompt = say("Yes, let me try it now.");
    assertThat(prompt.locator(".bubble"))
        .containsText(Pattern.compile("coffee brews.*try", Pattern.CASE_INSENSITIVE));

    assertThat(page.locator("#clock")).containsText("next event");
    assertThat(page.locator("#clock-next")).isEnabled();

    fitsAPhone("simulator-narrow.png");
    putPhoneAway();
    explained(replies().last());
    profiled();

    takePhone();
    say("Yes, I did it, it was easy.");
    putPhoneAway();
    assertThat(page.locator("#profile")).containsText("last motivator");
    screenshot("participant.png");
    fitsAPhone("participant-narrow.png");
  }

  private void explained(Locator prompt) {
    prompt.getByText("Why?").click();
    var why = page.locator("#why-body");
    assertThat(why).containsText("Module Intake");
    assertThat(why.locator(".tool").filter(having("generate_habit_prompt")).locator(".arguments"))
        .containsText("\"delivery_mode\" : \"immediate\"");
    assertThat(why.locator(".tool").filter(having("generate_habit_prompt")).locator(".result"))
        .containsText("\"status\" : \"success\"");
    assertThat(why.locator("[aria-label='Arguments of transition_state']"))
        .containsText("FEEDBACK");
    assertThat(why.locator(".nested")).containsText("prompt_generator_system.txt");
    assertThat(why).containsText(Pattern.compile("\\d+ \\+ \\d+ tokens"));
    assertThat(why).containsText(Pattern.compile("\\d+ ms"));
    screenshot("why.png");

    var text = watched(signedIn);
    text.navigate(jarUrl() + why.locator("a[href^='/prompts/']").first().getAttribute("href"));
    assertThat(text.locator("pre")).containsText("intake coach");
    text.close();
  }

  private void profiled() {
    assertThat(page.locator("#profile")).containsText("While the coffee brews");
    assertThat(page.locator("#profile")).containsText("complete enough for a daily prompt");
    assertThat(page.locator("#standing")).containsText("Feedback");
    page.getByText("Change log").click();
    assertThat(page.locator("#changes")).containsText("preferred time");
    page.getByText("Internal data").click();
    assertThat(page.locator("#state")).containsText("\"conversationState\" : \"FEEDBACK\"");
  }

  @Test
  @Tag("endurance")
  void aTextShowsAtOnceAndAppearsOnceInTheTranscript() {
    enrol("+1 555 010 0143", "Walter Waits");
    assertThat(replies()).hasCount(1);
    takePhone();
    say("Hello there");
    assertThat(page.locator("#log .theirs")).hasCount(1);
    assertThat(page.locator("#waiting li")).hasCount(0);
    assertThat(page.locator("#typing")).hasText("");
    assertThat(replies().last().locator(".fate")).containsText("accepted");

    page.reload();
    assertThat(page.locator("#log .theirs")).hasText(Pattern.compile("Hello there"));
    assertThat(replies()).hasCount(2);
    assertThat(page.locator("#" + page.locator("#log li").last().getAttribute("id"))).hasCount(1);
  }

  @Test
  @Tag("endurance")
  void anotherWindowSeesWhatIsSaid() {
    enrol("+1 555 010 0144", "Wanda Window");
    assertThat(replies()).hasCount(1);
    var other = watched(signedIn);
    other.navigate(page.url());
    takePhone();
    say("Who are you?");
    assertThat(other.locator("#log .ours")).hasCount(2);
    assertThat(other.locator("#log .theirs")).hasCount(1);
    other.close();
  }

  @Test
  @Tag("endurance")
  void aBlankTextIsAnsweredWithTheSentenceOfTheApi() {
    enrol("+1 555 010 0145", "Bea Blank");
    takePhone();
    page.getByLabel("Reply as Bea Blank").fill("   ");
    page.getByRole(AriaRole.BUTTON, button("Send")).click();
    assertThat(page.locator("#text-complaint"))
        .hasText("Text: blank; write the participant's text.");
    assertThat(page.getByLabel("Reply as Bea Blank")).hasValue("   ");
    say("Hello");
    assertThat(page.locator("#text-complaint")).hasText("");
  }

  @Test
  @Tag("endurance")
  void badInputIsAnsweredWithTheSentenceOfTheApiAndKeepsWhatWasTyped() {
    openEnrolment();
    page.locator("#field-phone_number").fill("not a number");
    page.locator("#field-name").fill("Nora Number");
    page.locator("#field-timezone").fill("Mars/Base");
    page.getByRole(AriaRole.BUTTON, button("Enrol")).click();
    assertThat(page.getByRole(AriaRole.ALERT)).containsText("Phone number: not a phone number");
    assertThat(page.locator("#error-phone_number"))
        .containsText("Not a phone number; enter it like");
    assertThat(page.locator("#error-timezone")).containsText("such as Europe/Berlin");
    assertThat(page.locator("#field-phone_number")).isFocused();
    assertThat(page.locator("#field-phone_number"))
        .hasAccessibleDescription(beginning("Not a phone"));
    assertThat(page.locator("#field-phone_number")).hasValue("not a number");
    assertThat(page.locator("#field-name")).hasValue("Nora Number");
    assertThat(page.locator("#field-timezone")).hasValue("Mars/Base");
    fitsAPhone("enrol-refused-narrow.png");
    complaints.removeIf(complaint -> complaint.contains("400 (Bad Request)"));
  }

  @Test
  @Tag("endurance")
  void stopIsShownAndThePhoneFallsSilent() {
    enrol("+1 555 010 0146", "Stella Stop");
    assertThat(replies()).hasCount(1);
    takePhone();
    page.getByLabel("Reply as Stella Stop").fill("STOP");
    page.keyboard().press("Enter");
    assertThat(page.locator("#log .theirs")).hasCount(1);
    putPhoneAway();
    assertThat(page.locator("#standing")).containsText("Opted out");
    overviews();
    assertThat(page.locator("#log .theirs")).hasCount(1);
    assertThat(replies()).hasCount(1);
  }

  /**
   * From the enrolment to a STOP: what staff do in between, and what the participant sees of it.
   */
  @Test
  @Tag("endurance")
  void staffLookOnStepInHandBackAndAParticipantSaysStop() {
    enrol("+1 555 010 0160", "Juno Journey");
    takePhone();
    say("Personal first, please.");
    putPhoneAway();
    replies().last().getByText("Why?").click();
    assertThat(page.locator("#why-body")).containsText("Module Intake");
    page.locator("#why-close").click();
    assertThat(page.locator("#why")).isHidden();

    unfold("Move to module");
    page.getByLabel("Module").selectOption("FEEDBACK");
    page.locator("form[action$='/state']").getByLabel("Reason").fill("asked for it");
    page.getByRole(AriaRole.BUTTON, button("Move")).click();
    assertThat(page.locator("#standing .person-facts")).containsText("Feedback");

    unfold("Debug messages");
    page.getByRole(AriaRole.BUTTON, button("Send debug messages for 1 hour")).click();
    assertThat(page.locator("#debugging")).containsText("Debug messages are on");
    takePhone();
    say("It went well.");
    assertThat(page.locator("#debugged")).containsText("DEBUG: turn");
    putPhoneAway();
    assertThat(page.locator("#log")).not().containsText("DEBUG");
    page.locator("#debugging").getByRole(AriaRole.BUTTON).click();
    assertThat(page.locator("#debugging")).hasCount(0);

    page.locator("#staff-text").fill("This is the study team. Shall we talk?");
    page.getByRole(AriaRole.BUTTON, button("Send as staff")).click();
    assertThat(page.locator("#held")).containsText("Automatic replies are paused");
    assertThat(replies().last()).containsText("Study team");
    assertThat(page.locator("#silence")).containsText("Automatic replies are paused");
    screenshot("takeover.png");
    fitsAPhone("takeover-narrow.png");
    takePhone();
    page.locator("#text").fill("Yes please.");
    page.getByRole(AriaRole.BUTTON, button("Send")).click();
    assertThat(page.locator("#log .theirs").last()).containsText("Yes please.");
    putPhoneAway();
    var before = replies().count();
    page.getByRole(AriaRole.BUTTON, button("Hand back now")).click();
    assertThat(page.locator("#held")).hasCount(0);
    assertThat(replies()).hasCount(before + 1);

    takePhone();
    page.locator("#text").fill("STOP");
    page.getByRole(AriaRole.BUTTON, button("Send")).click();
    putPhoneAway();
    assertThat(page.locator("#standing")).containsText("Opted out");
    assertThat(page.locator("#no-messages")).isVisible();
    assertThat(page.locator("#no-messages")).containsText("they opted out");
    page.reload();
    assertThat(page.locator("#no-messages")).isVisible();
    assertThat(page.locator("#staff-text")).hasCount(0);
  }

  /** From the invitation to a page that shows everything and lets the reader change nothing. */
  @Test
  @Tag("endurance")
  void aColleagueIsInvitedSetsBothFactorsAndMayOnlyLook() {
    enrol("+1 555 010 0188", "Vera Viewed");
    var participant = page.url();
    page.navigate(jarUrl() + "/access/people");
    page.locator("#name").fill("Lou Looker");
    page.locator("#email").fill("lou@study.example");
    page.locator("#role").selectOption("viewer");
    page.getByRole(AriaRole.BUTTON, button("Invite")).click();
    var link = page.locator("#new-link").innerText().strip();
    screenshot("people.png");
    fitsAPhone("people-narrow.png");

    try (var elsewhere = browser.newContext()) {
      elsewhere.setDefaultTimeout(Patience.LONG_MILLIS);
      var colleague = watched(elsewhere);
      colleague.navigate(link);
      colleague.getByLabel("Password").fill("passwordpassword");
      colleague.getByRole(AriaRole.BUTTON, button("Next")).click();
      assertThat(colleague.locator("#password-error")).containsText("Easy to guess");
      colleague.getByLabel("Password").fill("seven wet umbrellas dance");
      colleague.getByRole(AriaRole.BUTTON, button("Next")).click();
      assertThat(colleague.locator("svg.qr")).isVisible();
      colleague.getByText("Cannot scan it?").click();
      var secret = colleague.locator("#factor-key").innerText();
      screenshot(colleague, "factor.png");
      colleague.locator("#code").fill(code(secret, 0));
      colleague.getByRole(AriaRole.BUTTON, button("Confirm code")).click();
      assertThat(colleague.locator("#recovery-codes")).isVisible();
      colleague.getByRole(AriaRole.BUTTON, button("Go to Habitline")).click();
      assertThat(colleague.getByRole(AriaRole.HEADING, heading("Today")).first()).isVisible();

      elsewhere.clearCookies();
      colleague.navigate(jarUrl() + "/");
      colleague.getByLabel("E-mail").fill("lou@study.example");
      colleague.getByLabel("Password").fill("seven wet umbrellas dance");
      colleague.locator("#by-account").getByRole(AriaRole.BUTTON).click();
      colleague.locator("#code").fill(code(secret, 1));
      colleague.getByRole(AriaRole.BUTTON, button("Sign in")).click();
      assertThat(colleague.getByRole(AriaRole.HEADING, heading("Today")).first()).isVisible();

      colleague.navigate(participant);
      assertThat(colleague.getByRole(AriaRole.HEADING, heading("Vera Viewed"))).isVisible();
      assertThat(colleague.locator("#log")).isVisible();
      assertThat(colleague.locator("#staff-text")).hasCount(0);
      assertThat(colleague.locator("body")).not().containsText("5550100188");
      assertThat(colleague.locator("main form[method=post]")).hasCount(0);
      screenshot(colleague, "viewer.png");
      colleague.navigate(jarUrl() + "/account");
      assertThat(colleague.locator("#sessions")).containsText("this browser");
      screenshot(colleague, "account.png");
    }
    complaints.removeIf(complaint -> complaint.contains("400 (Bad Request)"));
  }

  /** What an authenticator app shows, so many steps from now. */
  private static String code(String secret, int steps) {
    try {
      return new HmacOneTimePasswordGenerator()
          .generateOneTimePasswordString(
              new SecretKeySpec(new Base32().decode(secret.replace(" ", "")), "HmacSHA1"),
              System.currentTimeMillis() / 30_000 + steps);
    } catch (InvalidKeyException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What everybody's day looks like, and the line itself. */
  private void overviews() {
    var participant = page.url();
    for (var overview : List.of("Today", "Study", "System")) {
      page.locator(".topnav a").filter(having(overview)).click();
      assertThat(page.getByRole(AriaRole.HEADING, heading(overview)).first()).isVisible();
      screenshot(overview.toLowerCase(Locale.ROOT) + ".png");
    }
    page.navigate(participant);
  }

  private void unfold(String summary) {
    page.locator("summary").filter(having(summary)).first().click();
  }

  @Test
  @Tag("endurance")
  void pausingAndErasingAskForWhatTheyNeed() {
    enrol("+1 555 010 0147", "Petra Pause");
    assertThat(replies()).hasCount(1);
    unfold("Pause");
    page.getByRole(AriaRole.BUTTON, button("Pause")).click();
    assertThat(page.locator("#standing")).containsText("paused");
    unfold("Make active");
    page.getByRole(AriaRole.BUTTON, button("Make active")).click();
    assertThat(page.locator("#standing")).containsText("active");

    unfold("Mark as completed or withdrawn");
    page.locator("select[name=status]").selectOption("withdrawn");
    page.getByRole(AriaRole.BUTTON, button("Save status")).click();
    assertThat(page.locator("#standing")).containsText("withdrawn");
    assertThat(page.locator("#silence")).containsText("withdrawn from the study");

    page.locator("summary").filter(having("Erase")).click();
    page.getByLabel("Type erase to confirm").fill("erase");
    page.getByRole(AriaRole.BUTTON, button("Erase")).click();
    assertThat(page.getByRole(AriaRole.HEADING, heading("Participants"))).isVisible();
    assertThat(page.locator("#people")).not().containsText("Petra Pause");
    // The page that was left may have looked for news of somebody who is gone.
    complaints.removeIf(complaint -> complaint.contains("/news"));
  }

  @Test
  @Tag("endurance")
  void aStopOfAllSendingStandsOnEveryPageUntilItIsResumed() {
    page.setViewportSize(PHONE_WIDTH, 812);
    page.navigate(jarUrl() + "/participants");
    var control = page.locator("#stop-control summary");
    assertThat(control).isInViewport();
    control.click();
    assertThat(page.getByLabel("Reason for the stop")).isInViewport();
    assertThat(page.getByRole(AriaRole.BUTTON, button("Stop all sending now"))).isInViewport();
    fitsAPhone("stop-narrow.png");
    screenshot("stop.png");
    page.getByLabel("Reason for the stop").fill("The prompt names the wrong day.");
    page.getByRole(AriaRole.BUTTON, button("Stop all sending now")).click();
    assertThat(page).hasURL(Pattern.compile("/participants$"));
    assertThat(page.locator("#stopped")).containsText("The prompt names the wrong day.");
    assertThat(page.locator("#stop-control summary")).hasCount(0);

    enrol("+1 555 010 0149", "Quinn Quiet");
    assertThat(page.locator("#stopped")).containsText("All sending is stopped");
    assertThat(replies()).hasCount(1);
    assertThat(replies().last().locator(".fate")).containsText("planned");
    assertThat(page.locator("#silence")).containsText("All sending is stopped");
    fitsAPhone("stopped-narrow.png");

    page.getByRole(AriaRole.BUTTON, button("Resume sending")).click();
    assertThat(page.locator("#stopped")).hasCount(0);
    assertThat(page.locator("#stop-control summary")).isVisible();
    assertThat(page).hasURL(Pattern.compile("/participants/conv_[0-9a-f]{24}$"));
    assertThat(replies().last().locator(".fate")).containsText("accepted");
    assertThat(page.locator("#silence")).not().containsText("stopped");
  }

  @Test
  @Tag("endurance")
  void aNumberIsChangedOnThePageAndOneThatIsTakenIsRefused() {
    enrol("+1 555 010 0150", "Tara Taken");
    enrol("+1 555 010 0151", "Nadia Number");
    assertThat(replies()).hasCount(1);
    changeNumber("+1 555 010 0150");
    assertThat(page.getByRole(AriaRole.ALERT).filter(having("already enrolled"))).isVisible();
    complaints.removeIf(complaint -> complaint.contains("409 (Conflict)"));
    changeNumber("+1 555 010 0152");
    assertThat(page.locator("#number")).containsText("…52");
    assertThat(page.locator("body")).not().containsText("+15550100152");
    page.getByRole(AriaRole.BUTTON, button("Show full number")).click();
    assertThat(page.locator("#number")).containsText("+15550100152");
    fitsAPhone("number-narrow.png");
    page.getByText("Hide number").click();
    assertThat(page.locator("body")).not().containsText("+15550100152");
    takePhone();
    say("Hello from my new phone");
  }

  private void changeNumber(String number) {
    page.locator("summary").filter(having("Change number")).click();
    page.getByLabel("New phone number").fill(number);
    page.getByRole(AriaRole.BUTTON, button("Save number")).click();
  }

  @Test
  @Tag("endurance")
  void aListIsPreviewedWithNamesAndNumbersAndItsUnknownColumnIsAskedAbout() {
    page.navigate(jarUrl() + "/participants/import");
    preview("phone_number,phone_number\n+15550100161,+15550100161\n");
    assertThat(page.getByRole(AriaRole.ALERT)).containsText("phone_number appears twice");
    assertThat(file()).hasAccessibleDescription(beginning("The column"));
    fitsAPhone("import-refused-narrow.png");
    complaints.removeIf(complaint -> complaint.contains("400 (Bad Request)"));
    preview("phone_number,Nmae\n+1 555 010 0161,Ines Import\n12,Nils Nonumber\n");
    assertThat(page.locator("#column-0")).hasValue("");
    fitsAPhone("import-columns-narrow.png");
    page.locator("#column-0").selectOption("name");
    page.getByRole(AriaRole.BUTTON, button("Preview")).click();
    assertThat(page.locator("tbody tr").first()).containsText("Ines Import");
    assertThat(page.locator("tbody tr").first()).containsText("+15550100161");
    assertThat(page.locator("tbody tr").last()).containsText("Nils Nonumber");
    assertThat(page.locator("tbody tr").last()).containsText("12");
    screenshot("preview.png");
    fitsAPhone("preview-narrow.png");
    page.getByRole(AriaRole.BUTTON, button("Cancel")).click();
    assertThat(page).hasURL(Pattern.compile("/participants/import$"));
  }

  private void preview(String csv) {
    file()
        .setInputFiles(
            new FilePayload("people.csv", "text/csv", csv.getBytes(StandardCharsets.UTF_8)));
    page.getByRole(AriaRole.BUTTON, button("Preview")).click();
  }

  private Locator file() {
    return page.getByLabel("File", new Page.GetByLabelOptions().setExact(true));
  }

  private static Pattern beginning(String words) {
    return Pattern.compile("^" + words);
  }

  @Test
  @Tag("endurance")
  void thePrintedLinkWorksOnce() {
    try (var stranger = browser.newContext()) {
      var door = watched(stranger);
      door.navigate(jarUrl() + "/");
      assertThat(door).hasURL(Pattern.compile("/login$"));
      door.navigate(loginLink);
      door.getByRole(AriaRole.BUTTON, button("Sign in")).click();
      assertThat(door.getByRole(AriaRole.ALERT)).containsText("This link was used");
      complaints.removeIf(complaint -> complaint.contains("401 (Unauthorized)"));
    }
  }

  @Test
  @Tag("endurance")
  void theListFitsAPhoneAndFollowsTheSystemIntoTheDark() {
    enrol("+1 555 010 0148", "Lena Listed");
    page.navigate(jarUrl() + "/participants");
    assertThat(page.locator("#people")).containsText("Lena Listed");
    assertThat(page.locator("#people")).containsText("…48");
    assertThat(page.locator("body")).not().containsText("5550100148");
    fitsAPhone("list-narrow.png");
    page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.DARK));
    screenshot("list-dark.png");
    var ground = page.evaluate("() => getComputedStyle(document.body).backgroundColor");
    assertThat(String.valueOf(ground)).matches("rgb\\((\\d|[1-5]\\d), .*");
  }

  @Test
  @Tag("endurance")
  void aVeryLongNameTakesTwoLinesOnAPhone() {
    var name = "Maria Magdalena Wilhelmina Theodora ".repeat(4) + "von Langenfeld";
    enrol("+1 555 010 0176", name);
    takesTwoLines(page.locator(".person-name h1"), name);
    page.navigate(jarUrl() + "/participants?q=Langenfeld");
    takesTwoLines(page.locator("tbody .c-name > a"), name);
  }

  private void takesTwoLines(Locator shown, String title) {
    page.setViewportSize(PHONE_WIDTH, 812);
    assertThat(shown).hasAttribute("title", title);
    assertThat(
            shown.evaluate(
                "it => Math.round(it.clientHeight / parseFloat(getComputedStyle(it).lineHeight))"))
        .isEqualTo(2);
    page.setViewportSize(1280, 800);
  }

  private void fitsAPhone(String screenshot) {
    page.setViewportSize(PHONE_WIDTH, 812);
    assertThat(page.evaluate("() => document.documentElement.scrollWidth"))
        .as("width of the page on a screen of %s", PHONE_WIDTH)
        .isEqualTo(PHONE_WIDTH);
    endsAtTheNewestMessage();
    screenshot(screenshot);
    page.setViewportSize(1280, 800);
    endsAtTheNewestMessage();
  }

  /** Checks that a conversation, if the page has one, shows its end in this width. */
  private void endsAtTheNewestMessage() {
    assertThat(
            page.evaluate(
                """
                () => [...document.querySelectorAll('.conv-body, .phone-screen')].every(view => {
                  const messages = [...view.querySelectorAll('.msg')].filter(it => it.offsetHeight > 0);
                  const newest = messages.at(-1);
                  return !newest
                    || newest.getBoundingClientRect().bottom <= view.getBoundingClientRect().bottom + 1;
                })
                """))
        .isEqualTo(true);
  }

  /** With the caret as it is: to hide it, Playwright would need an inline style. */
  private void screenshot(String file) {
    screenshot(page, file);
  }

  private static void screenshot(Page page, String file) {
    page.evaluate("() => scrollTo(0, 0)");
    page.screenshot(
        new Page.ScreenshotOptions()
            .setPath(SCREENSHOTS.resolve(file))
            .setFullPage(true)
            .setCaret(ScreenshotCaret.INITIAL));
  }

  /** The form is folded away once somebody takes part. */
  private void openEnrolment() {
    page.navigate(jarUrl() + "/participants");
    if (page.locator("#enrol-one").getAttribute("open") == null) {
      page.locator("#enrol-one > summary").click();
    }
  }

  private void enrol(String phone, String name) {
    openEnrolment();
    page.locator("#field-phone_number").fill(phone);
    page.locator("#field-name").fill(name);
    page.locator("#field-timezone").fill("Europe/Berlin");
    page.getByRole(AriaRole.BUTTON, button("Enrol")).click();
    assertThat(page).hasURL(Pattern.compile("/participants/conv_[0-9a-f]{24}$"));
    assertThat(page.getByRole(AriaRole.HEADING, heading(name))).isVisible();
  }

  /** Enrols the first participant with the keyboard alone. */
  private void enrolByKeyboard(String phone, String name) {
    page.navigate(jarUrl() + "/participants");
    typeInto("#field-phone_number", phone);
    typeInto("#field-name", name);
    typeInto("#field-timezone", "Europe/Berlin");
    tabTo(page.getByRole(AriaRole.BUTTON, button("Enrol")));
    page.keyboard().press("Enter");
    assertThat(page.getByRole(AriaRole.HEADING, heading(name))).isVisible();
  }

  private void typeInto(String field, String value) {
    tabTo(page.locator(field));
    page.keyboard().press("Control+A");
    page.keyboard().type(value);
  }

  private void tabTo(Locator element) {
    for (int i = 0; i < 100; i++) {
      page.keyboard().press("Tab");
      if ((boolean) element.evaluate("it => it === document.activeElement")) {
        return;
      }
    }
    assertThat(element).isFocused();
  }

  /** Goes from the page of a participant to their simulated phone. */
  private void takePhone() {
    page.getByRole(AriaRole.BUTTON, button("Reply as participant")).click();
    assertThat(page).hasURL(Pattern.compile("/simulator$"));
  }

  private void putPhoneAway() {
    page.navigate(page.url().replace("/simulator", ""));
  }

  /** Texts as the participant and returns the line's answer, once it is there. */
  private Locator say(String words) {
    assertThat(replies().first()).isVisible();
    var before = replies().count();
    page.locator("#text").fill(words);
    page.locator("#text").press("Enter");
    assertThat(page.locator("#log .theirs").last()).containsText(words);
    assertThat(replies()).hasCount(before + 1);
    return replies().last();
  }

  private Locator replies() {
    return page.locator("#log .ours");
  }

  private static String jarUrl() {
    return "http://127.0.0.1:" + jar.port();
  }

  private static Page.GetByRoleOptions button(String name) {
    return new Page.GetByRoleOptions().setName(name).setExact(true);
  }

  private static Page.GetByRoleOptions heading(String name) {
    return new Page.GetByRoleOptions().setName(Pattern.compile("^" + name)).setLevel(1);
  }

  private static Locator.FilterOptions having(String text) {
    return new Locator.FilterOptions().setHasText(text);
  }
}
