package org.habitline.staff;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.micronaut.http.HttpMethod;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.uri.UriMatchTemplate;
import io.micronaut.security.annotation.Secured;
import io.micronaut.web.router.Router;
import io.micronaut.web.router.UriRouteInfo;
import io.swagger.v3.oas.annotations.Hidden;
import java.io.IOException;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.habitline.RestLine;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The document of the API, and the page that shows it. */
final class ApiDocumentTest {

  private static final String DOCUMENT = "/swagger/habitline-0.1.yml";

  private static RestLine line;
  private static JsonNode document;

  @BeforeAll
  static void start() throws IOException {
    line = RestLine.start(ApiDocumentTest.class);
    document = new YAMLMapper().readTree(body(DOCUMENT));
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  private static String body(String path) {
    var answer = line.sendAs("", "GET", path, "");
    assertThat(answer.status()).as(path).isEqualTo(200);
    return answer.response().body();
  }

  private static Stream<UriRouteInfo<?, ?>> routes() {
    return line.bean(Router.class)
        .uriRoutes()
        .filter(route -> route.getDeclaringType().getName().startsWith("org.habitline."))
        .filter(route -> route.getDeclaringType().isAnnotationPresent(Controller.class))
        .filter(route -> route.getHttpMethod() != HttpMethod.HEAD)
        .filter(route -> !hidden(route));
  }

  private static boolean hidden(UriRouteInfo<?, ?> route) {
    return route.getDeclaringType().isAnnotationPresent(Hidden.class)
        || route.getTargetMethod().hasAnnotation(Hidden.class);
  }

  private static JsonNode described(UriRouteInfo<?, ?> route) {
    var template =
        ((UriMatchTemplate) route.getUriMatchTemplate()).toPathString().replaceAll(":[^}]+}", "}");
    return document
        .path("paths")
        .path(template)
        .path(route.getHttpMethod().name().toLowerCase(Locale.ROOT));
  }

  @Test
  void everyRouteIsDescribedWithWhatItAnswers() {
    assertThat(routes()).hasSizeGreaterThan(10);
    assertThat(routes())
        .allSatisfy(route -> {
          assertThat(described(route).path("summary").asText()).isNotBlank();
          assertThat(described(route).path("responses")).isNotEmpty();
        });
  }

  @Test
  void everyOperationNamesTheRoleThatItsRouteTakes() {
    assertThat(routes().filter(route -> described(route).has("x-role"))).hasSizeGreaterThan(50);
    assertThat(routes())
        .allSatisfy(route -> {
          var role = route.getAnnotationMetadata().stringValues(Secured.class)[0];
          assertThat(described(route).path("x-role").asText("isAnonymous()")).isEqualTo(role);
        });
  }

  @Test
  void aRouteThatNamesSomethingSaysWhenItIsNotThere() {
    assertThat(routes().filter(route -> route.getUriMatchTemplate().toString().contains("{id}")))
        .isNotEmpty()
        .allSatisfy(route -> assertThat(described(route).path("responses").has("404")).isTrue());
  }

  @Test
  void theEnrolmentIsDescribedInFull() {
    var enrol = document.path("paths").path("/conversation/participants").path("post");
    assertThat(enrol.path("responses").fieldNames())
        .toIterable()
        .contains("201", "400", "409", "410", "422");
    assertThat(enrol.path("parameters").findValuesAsText("name")).contains("Idempotency-Key");
    var schema = document.path("components").path("schemas").path("Enrolment");
    assertThat(schema.path("required").toString()).isEqualTo("[\"phone_number\"]");
    assertThat(schema.path("properties").fieldNames())
        .toIterable()
        .containsExactlyInAnyOrder(
            "phone_number",
            "name",
            "gender",
            "ethnicity",
            "background",
            "timezone",
            "flow",
            "channel");
    assertThat(document.path("components").path("securitySchemes").path("key").path("scheme"))
        .hasToString("\"bearer\"");
  }

  @Test
  void aDeliveryIsDescribedWithWhatItIsChargedAs() {
    var schema = document.path("components").path("schemas").path("Outbox.Sent");
    assertThat(schema.path("properties").fieldNames())
        .toIterable()
        .contains("segments", "encoding");
  }

  @Test
  void thePageHasEverythingItNeedsAndNoScriptInside() {
    var page = body("/api-docs");
    assertThat(page).contains(DOCUMENT).doesNotContainPattern("<script(?![^>]* src=)");
    var links =
        Pattern.compile("(?:href|src)=\"(/[^\"]+)\"")
            .matcher(page)
            .results()
            .map(link -> link.group(1))
            .toList();
    assertThat(links).hasSize(3).allSatisfy(link -> assertThat(body(link)).isNotBlank());
  }
}
