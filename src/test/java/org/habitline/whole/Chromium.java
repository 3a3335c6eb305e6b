package org.habitline.whole;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.habitline.Patience;

/** A real Chromium, signed in to a running program by the link that it prints. */
final class Chromium implements AutoCloseable {

  private static final Pattern LOGIN_LINK = Pattern.compile("http://\\S+/login#token=\\S+");

  private final Playwright playwright;
  private final Browser browser;
  private final BrowserContext signedIn;
  private final String loginLink;

  private Chromium(Playwright playwright, Path program, String loginLink) {
    this.playwright = playwright;
    this.loginLink = loginLink;
    browser =
        playwright
            .chromium()
            .launch(
                new BrowserType.LaunchOptions()
                    .setExecutablePath(program)
                    .setTimeout(Patience.LONG_MILLIS)
                    .setArgs(List.of("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")));
    signedIn = browser.newContext();
    signedIn.setDefaultTimeout(Patience.LONG_MILLIS);
    signedIn.setDefaultNavigationTimeout(Patience.LONG_MILLIS);
    PlaywrightAssertions.setDefaultAssertionTimeout(Patience.LONG_MILLIS);
  }

  /** Opens a browser and signs in; skips the calling tests on a machine that has no Chromium. */
  static Chromium signedInTo(RunningJar jar) {
    var program = program();
    assumeTrue(
        program.isPresent(), "the browser tests, which need a program named chromium on the PATH");
    var link =
        Awaitility.await("a login link is printed")
            .until(() -> LOGIN_LINK.matcher(jar.output()), Matcher::find)
            .group();
    var chromium =
        new Chromium(
            Playwright.create(
                new Playwright.CreateOptions()
                    .setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"))),
            program.orElseThrow(),
            link);
    var page = chromium.signedIn.newPage();
    page.navigate(link);
    page.getByLabel("Your name").fill("Study team");
    page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Sign in")).click();
    assertThat(
            page.getByRole(
                AriaRole.HEADING, new Page.GetByRoleOptions().setName("Today").setLevel(1)))
        .isVisible();
    page.close();
    return chromium;
  }

  private static Optional<Path> program() {
    return Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
        .map(folder -> Path.of(folder, "chromium"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  Browser browser() {
    return browser;
  }

  BrowserContext signedIn() {
    return signedIn;
  }

  /** The link that was used up. */
  String loginLink() {
    return loginLink;
  }

  @Override
  public void close() {
    playwright.close();
  }
}
