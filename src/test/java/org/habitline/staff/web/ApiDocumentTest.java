package org.habitline.staff.web;

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
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.RestLine;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The document of the API, and the page that shows it. */
final class ApiDocumentTest {

  private static final String DOCUMENT = "/swagger/habitline-0.1.yml";

  /** Programs are generated from these names: one that is changed breaks them. */
  private static final Map<String, String> OPERATION_IDS =
      Stream.of(
              """
              listAuditEntries              GET /audit
              listBackups                   GET /backup
              createBackup                  POST /backup
              getClock                      GET /clock
              moveClock                     POST /clock
              startBulk                     POST /conversation/bulk
              previewBulk                   POST /conversation/bulk/preview
              getBulk                       GET /conversation/bulk/{id}
              undoBulk                      POST /conversation/bulk/{id}/undo
              getImport                     GET /conversation/participants/import/{id}
              listImports                   GET /conversation/participants/import
              startImport                   POST /conversation/participants/import
              previewImport                 POST /conversation/participants/import/preview
              getImportPreview              GET /conversation/participants/import/{id}/preview
              discardImport                 DELETE /conversation/participants/import/{id}/preview
              mapImportColumns              PUT /conversation/participants/import/{id}/columns
              setImportDefaults             PUT /conversation/participants/import/{id}/defaults
              correctImportRow              PUT /conversation/participants/import/{id}/rows/{row}
              confirmImport                 POST /conversation/participants/import/{id}/confirm
              listParticipantDebugIntervals GET /conversation/participants/{id}/debug
              setParticipantDebug           PUT /conversation/participants/{id}/debug
              listDeliveries                GET /conversation/participants/{id}/deliveries
              exportParticipant             GET /conversation/participants/{id}/export
              getHistory                    GET /conversation/participants/{id}/history
              sendStaffMessage              POST /conversation/participants/{id}/messages
              getMute                       GET /conversation/participants/{id}/mute
              setMute                       PUT /conversation/participants/{id}/mute
              setOutcome                    PUT /conversation/participants/{id}/outcome
              changePhoneNumber             POST /conversation/participants/{id}/phone
              getProfile                    GET /conversation/participants/{id}/profile
              getSchedules                  GET /conversation/participants/{id}/schedules
              forgetSenders                 DELETE /conversation/participants/{id}/senders
              explainSilence                GET /conversation/participants/{id}/silence
              getState                      GET /conversation/participants/{id}/state
              forceState                    PUT /conversation/participants/{id}/state
              revokeChatTokens              DELETE /conversation/participants/{id}/tokens
              createChatToken               POST /conversation/participants/{id}/tokens
              getIteration                  GET /conversation/participants/{id}/turns/{number}/iterations/{iteration}
              getIterationMessages          GET /conversation/participants/{id}/turns/{number}/iterations/{iteration}/messages
              getTurnMessages               GET /conversation/participants/{id}/turns/{number}/messages
              getTurn                       GET /conversation/participants/{id}/turns/{number}
              listTurns                     GET /conversation/participants/{id}/turns
              deleteParticipant             DELETE /conversation/participants/{id}
              getParticipant                GET /conversation/participants/{id}
              updateParticipant             PUT /conversation/participants/{id}
              listParticipants              GET /conversation/participants
              enrolParticipant              POST /conversation/participants
              listDebugIntervals            GET /debug
              setDebug                      PUT /debug
              streamEvents                  GET /events
              listFlags                     GET /flags
              closeFlag                     POST /flags/{id}/close
              listWork                      GET /worklist
              takeRow                       PUT /worklist/{row}/owner
              giveRowBack                   DELETE /worklist/{row}/owner
              resendDelivery                POST /conversation/participants/{id}/deliveries/{delivery}/resend
              retryTurn                     POST /conversation/participants/{id}/turns/{number}/retry
              getLiveness                   GET /health/liveness
              getReadiness                  GET /health/readiness
              getHealth                     GET /health
              revokeKey                     DELETE /keys/{id}
              listKeys                      GET /keys
              createKey                     POST /keys
              findParticipantByPhone        GET /participants/by-phone/{phone}
              getPromptText                 GET /prompts/{sha256}
              listReceipts                  GET /receipts
              recordResponse                POST /response
              listResponses                 GET /responses
              schedulePrompt                POST /schedule
              sendMcpMessage                POST /mcp
              sendPrompt                    POST /send
              getSending                    GET /sending
              setSending                    PUT /sending
              listSimulatorTexts            GET /simulator/{id}/texts
              sendSimulatorText             POST /simulator/{id}/texts
              getResponseStats              GET /stats
              listConfigurations            GET /study/configurations
              getConfiguration              GET /study/configurations/{number}
              getConfigurationChanges       GET /study/configurations/{number}/changes
              getConfigurationFile          GET /study/configurations/{number}/file
              listDeviations                GET /study/deviations
              decideDeviation               POST /study/deviations/{seq}
              startStudyExport              POST /study/exports
              listStudyExports              GET /study/exports
              getStudyExport                GET /study/exports/{id}
              downloadStudyExport           GET /study/exports/{id}/file
              getStudyFidelity              GET /study/fidelity
              getStudyFigures               GET /study/figures
              downloadStudyFigure           GET /study/figures/{name}.csv
              cancelTimer                   DELETE /timers/{id}
              getTimer                      GET /timers/{id}
              listTimers                    GET /timers
              claimText                     POST /unclaimed/{seq}/claim
              dismissText                   POST /unclaimed/{seq}/dismiss
              listUnclaimedTexts            GET /unclaimed
              receiveTwilioMessage          POST /webhooks/twilio/messages
              receiveTwilioStatus           POST /webhooks/twilio/status
              openChat                      GET /ws/chat
              """
                  .split("\n"))
          .map(line -> line.strip().split(" +", 2))
          .collect(Collectors.toMap(it -> it[1], it -> it[0]));

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

  private static Map<String, String> operationIds() {
    var ids = new TreeMap<String, String>();
    for (var path : document.path("paths").properties()) {
      for (var operation : path.getValue().properties()) {
        ids.put(
            operation.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey(),
            operation.getValue().path("operationId").asText());
      }
    }
    return ids;
  }

  @Test
  void operationIdsAreAVerbAndWhatItIsDoneTo() {
    assertThat(operationIds()).containsAllEntriesOf(OPERATION_IDS);
    assertThat(operationIds().values())
        .doesNotHaveDuplicates()
        .allSatisfy(id -> assertThat(id).matches("[a-z]+(?:[A-Z][a-z]+)+"));
  }

  @Test
  void serversHealthAndTheChatAreDescribed() {
    assertThat(document.path("servers").findValuesAsText("url"))
        .containsExactly("/", "http://127.0.0.1:8080");
    assertThat(document.at("/paths/~1health/get/responses").fieldNames())
        .toIterable()
        .containsExactlyInAnyOrder("200", "503");
    assertThat(document.at("/paths/~1ws~1chat/get/responses").has("101")).isTrue();
    assertThat(document.at("/components/schemas/ChatAnswer/discriminator/mapping").fieldNames())
        .toIterable()
        .containsExactlyInAnyOrder(
            "token", "reset", "tool_start", "tool_complete", "complete", "error");
  }

  @Test
  void everyRefusalIsDescribedAsTheEnvelopeThatItIs() {
    for (var operation : document.path("paths").findValues("responses")) {
      for (var response : operation.properties()) {
        if (response.getKey().compareTo("400") >= 0 && response.getValue().has("content")) {
          assertThat(response.getValue().findValuesAsText("$ref"))
              .singleElement()
              .satisfies(
                  it -> assertThat(it).matches("#/components/schemas/(?:Error|Health|Alerting)"));
        }
      }
    }
    var sending = document.at("/paths/~1sending/get/responses");
    assertThat(sending.fieldNames()).toIterable().contains("200", "401", "403", "429");
  }

  /** OpenAPI 3.0 has no null beside a reference, and null is only what is always there. */
  @Test
  void whatMayBeAbsentIsNotSaidToBeNull() {
    assertThat(document.findParents("nullable"))
        .hasSize(2)
        .allSatisfy(schema -> assertThat(schema.has("type")).isTrue());
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
            "consent_version",
            "name",
            "gender",
            "ethnicity",
            "background",
            "timezone",
            "flow",
            "language",
            "channel",
            "study_id",
            "fields");
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
    assertThat(links)
        .anyMatch(link -> link.endsWith("swagger-ui-bundle.js"))
        .allSatisfy(link -> assertThat(body(link)).isNotBlank());
  }
}
