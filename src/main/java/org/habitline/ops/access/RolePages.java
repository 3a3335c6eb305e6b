package org.habitline.ops.access;

import io.micronaut.context.annotation.Replaces;
import io.micronaut.core.io.Writable;
import io.micronaut.http.HttpMethod;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.context.ServerRequestContext;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.micronaut.security.rules.SecurityRule;
import io.micronaut.views.ViewsConfiguration;
import io.micronaut.views.jte.HtmlJteViewsRenderer;
import io.micronaut.views.jte.JteViewsRendererConfiguration;
import io.micronaut.web.router.Router;
import jakarta.inject.Provider;
import jakarta.inject.Singleton;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;
import org.jspecify.annotations.Nullable;

/**
 * Renders pages. For people below the role staff, it leaves out the forms and links that they may
 * not use, which it knows from the same {@code @Secured} that refuses them: so a page never shows a
 * control that is answered 403, and no template repeats who may do what.
 */
@Singleton
@Produces(MediaType.TEXT_HTML)
@Replaces(HtmlJteViewsRenderer.class)
final class RolePages<T> extends HtmlJteViewsRenderer<T> {

  private static final Set<String> OPEN =
      Set.of(SecurityRule.IS_ANONYMOUS, SecurityRule.IS_AUTHENTICATED);

  /** What makes a section or a disclosure worth showing when its form is gone. */
  private static final String CONTENT = "form, table, ul, ol, dl, pre, a, p, details, img, svg";

  /** A provider, because the router is built from the controllers. */
  private final Provider<Router> router;

  RolePages(ViewsConfiguration views, JteViewsRendererConfiguration jte, Provider<Router> router) {
    super(views, jte);
    this.router = router;
  }

  @Override
  public Writable render(String viewName, @Nullable T data, @Nullable HttpRequest<?> request) {
    var page = super.render(viewName, data, request);
    var roles =
        Optional.<HttpRequest<?>>ofNullable(request)
            .or(() -> ServerRequestContext.currentRequest().map(it -> it))
            .flatMap(it -> it.getUserPrincipal(Authentication.class))
            .map(Authentication::getRoles)
            .filter(it -> !it.contains(Role.STAFF.word()));
    return roles.isEmpty()
        ? page
        : writer -> {
          var html = new StringWriter();
          page.writeTo(html);
          writer.write(without(html.toString(), roles.get()));
        };
  }

  private String without(String html, Collection<String> roles) {
    var start = html.stripLeading();
    var whole = start.regionMatches(true, 0, "<!doctype", 0, "<!doctype".length());
    // Rows outside a table would be dropped by the parser.
    var rows = start.startsWith("<tr");
    var parsed = Jsoup.parse(rows ? "<table><tbody>" + html + "</tbody></table>" : html);
    parsed.outputSettings().prettyPrint(false);
    for (var form : parsed.select("form[action^=/]")) {
      var method = form.attr("method").equals("post") ? HttpMethod.POST : HttpMethod.GET;
      if (!may(method, form.attr("action"), roles)) {
        remove(form);
      }
    }
    // Parts of a form that are sent on their own, to replace those on the page.
    for (var part : parsed.select("[data-post^=/]")) {
      if (!may(HttpMethod.POST, part.attr("data-post"), roles)) {
        part.remove();
      }
    }
    for (var link : parsed.select("a[href^=/]")) {
      if (!may(HttpMethod.GET, link.attr("href"), roles)) {
        removeLink(link);
      }
    }
    return whole
        ? parsed.outerHtml()
        : rows
            ? Optional.ofNullable(parsed.selectFirst("tbody")).map(Element::html).orElse("")
            : parsed.body().html();
  }

  private boolean may(HttpMethod method, String address, Collection<String> roles) {
    var path = address.replaceFirst("[?#].*", "");
    var routes = router.get().find(method, path, null).toList();
    return routes.isEmpty()
        || routes.stream()
            .anyMatch(route ->
                route
                    .getRouteInfo()
                    .getAnnotationMetadata()
                    .getValue(Secured.class, String[].class)
                    .filter(needed ->
                        Arrays.stream(needed)
                            .anyMatch(role -> OPEN.contains(role) || roles.contains(role)))
                    .isPresent());
  }

  /** Removes a form, and the disclosure or section around it if it holds nothing else. */
  private static void remove(Element form) {
    var disclosure = form.closest("details");
    var section = form.closest("section");
    form.remove();
    if (disclosure != null && disclosure.select("form, table, ul, ol, dl, pre").isEmpty()) {
      disclosure.remove();
    }
    if (section != null && section.select(CONTENT).isEmpty()) {
      section.remove();
    }
  }

  /** Removes a link; where it was a part of a sentence, its words stay. */
  private static void removeLink(Element link) {
    var parent = link.parent();
    if (parent != null && parent.normalName().equals("li") && parent.childrenSize() == 1) {
      parent.remove();
    } else if (link.hasClass("btn")
        || link.attr("role").equals("button")
        || link.closest("nav, .menu-panel") != null) {
      link.remove();
    } else {
      link.unwrap();
    }
  }
}
