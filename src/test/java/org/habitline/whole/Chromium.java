package org.habitline.whole;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.options.AriaRole;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/** A real Chromium, signed in to a running program by the link that it prints. */
final class Chromium implements AutoCloseable {

  private static final Pattern LOGIN_LINK = Pattern.compile("http://\\S+/login#token=\\S+");

  private final Playwright playwright;
  private final Browser browser;
  private final BrowserContext signedIn;
  private final String loginLink;

  private Chromium(Playwright playwright, String loginLink) {
    this.playwright = playwright;
    this.loginLink = loginLink;
    browser =
        playwright
            .chromium()
            .launch(
                new BrowserType.LaunchOptions()
                    .setExecutablePath(program())
                    .setArgs(List.of("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")));
    signedIn = browser.newContext();
  }

  static Chromium signedInTo(RunningJar jar) {
    var link =
        Awaitility.await("a login link is printed")
            .until(() -> LOGIN_LINK.matcher(jar.output()), Matcher::find)
            .group();
    var chromium =
        new Chromium(
            Playwright.create(
                new Playwright.CreateOptions()
                    .setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"))),
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

  /**
   * A machine without Chromium fails here, with a sentence: pages that nobody saw are not tested.
   */
  private static Path program() {
    for (var folder : System.getenv("PATH").split(File.pathSeparator, -1)) {
      var program = Path.of(folder, "chromium");
      if (Files.isExecutable(program)) {
        return program;
      }
    }
    throw new AssertionError("The browser tests need a program named chromium on the PATH.");
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
