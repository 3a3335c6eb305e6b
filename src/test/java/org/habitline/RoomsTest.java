package org.habitline;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.conditions.ArchPredicates.are;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAnnotation;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.properties.HasName;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.habitline.tools.Tool;

/** The plan of the house. Classes that annotation processors write ({@code $…}) are left out. */
@AnalyzeClasses(
    packages = "org.habitline",
    importOptions = {ImportOption.DoNotIncludeTests.class, RoomsTest.WrittenByHand.class})
final class RoomsTest {

  @ArchTest static final ArchRule storageUsesNoOtherRoom = room("storage").mayUse();

  @ArchTest
  static final ArchRule participantsUsesTheStorageOnly = room("participants").mayUse("storage");

  @ArchTest static final ArchRule configUsesNoOtherRoom = room("config").mayUse();

  @ArchTest static final ArchRule flowsMayUseConfig = room("flows").mayUse("config");

  @ArchTest
  static final ArchRule protocolMayUseConfigAndNumbers =
      room("protocol").mayUse("config", "participants");

  @ArchTest
  static final ArchRule safetyMayUseTheProtocolLlmAndMessaging =
      room("safety")
          .mayUse("config", "storage", "participants", "protocol", "llm", "messaging", "audit");

  @ArchTest static final ArchRule llmUsesNoOtherRoom = room("llm").mayUse();

  @ArchTest static final ArchRule knowledgeMayUseLlm = room("knowledge").mayUse("llm");

  @ArchTest
  static final ArchRule theCheckOfAModelUsesOnlyTheFaceOfModels =
      noClasses()
          .that()
          .resideInAPackage("org.habitline.llm.check")
          .should()
          .dependOnClassesThat(
              are(resideInAPackage("org.habitline.."))
                  .and(not(resideInAnyPackage("org.habitline.llm", "org.habitline.llm.check"))))
          .as("llm.check may use only the classes of llm itself");

  @ArchTest
  static final ArchRule onlyOpsUsesTheCheckOfAModel =
      onlyOpsDependsOn("org.habitline.*..", "llm.check");

  @ArchTest
  static final ArchRule auditMayUseParticipants = room("audit").mayUse("storage", "participants");

  @ArchTest
  static final ArchRule budgetsMayUseTheProtocolParticipantsAndAudit =
      room("budgets").mayUse("storage", "participants", "protocol", "audit");

  @ArchTest
  static final ArchRule messagingMayUseConfigTheProtocolBudgetsParticipantsAndAudit =
      room("messaging").mayUse("config", "storage", "participants", "protocol", "budgets", "audit");

  @ArchTest
  static final ArchRule timersMayUseParticipants = room("timers").mayUse("storage", "participants");

  @ArchTest
  static final ArchRule toolsMayUseParticipantsFlowsLlmTimersAndKnowledge =
      room("tools").mayUse("config", "participants", "flows", "llm", "timers", "knowledge");

  @ArchTest
  static final ArchRule conversationMayUseEveryRoomBelowIt =
      room("conversation")
          .mayUse(
              "storage",
              "participants",
              "protocol",
              "budgets",
              "flows",
              "llm",
              "messaging",
              "safety",
              "timers",
              "tools",
              "audit");

  @ArchTest
  static final ArchRule studyMayUseEveryRoomBelowIt =
      room("study")
          .mayUse(
              "config",
              "storage",
              "participants",
              "protocol",
              "budgets",
              "flows",
              "llm",
              "messaging",
              "safety",
              "timers",
              "tools",
              "conversation",
              "audit");

  @ArchTest
  static final ArchRule rehearsalMayUseEveryRoomBelowIt =
      room("rehearsal")
          .mayUse(
              "storage",
              "participants",
              "protocol",
              "budgets",
              "flows",
              "llm",
              "messaging",
              "safety",
              "timers",
              "tools",
              "conversation",
              "audit",
              "study");

  @ArchTest
  static final ArchRule theRehearsalModelUsesOnlyTheFaceOfModelsAndFlows =
      room("rehearsal.model").mayUse("llm", "flows");

  @ArchTest
  static final ArchRule staffMayUseEveryRoomButOps =
      room("staff")
          .mayUse(
              "storage",
              "participants",
              "protocol",
              "budgets",
              "flows",
              "llm",
              "messaging",
              "safety",
              "timers",
              "tools",
              "conversation",
              "audit",
              "study");

  @ArchTest static final ArchRule nothingUsesOps = noOneDependsOn("ops");

  @ArchTest static final ArchRule onlyOpsUsesStaff = onlyOpsDependsOn("org.habitline..", "staff");

  @ArchTest
  static final ArchRule onlyOpsAndItsCommandUseTheRehearsal =
      onlyOpsDependsOn("org.habitline.*..", "rehearsal");

  @ArchTest
  static final ArchRule roomsHaveNoCycles =
      slices().matching("org.habitline.(*)..").should().beFreeOfCycles();

  /** For each room with sub-rooms: what a sub-room may use of its own room, lowest first. */
  @ArchTest
  static void subRoomsUseOnlySubRoomsBelowThem(JavaClasses classes) {
    inside("ops")
        .subRoom("access")
        .subRoom("http", "access")
        .subRoom("database", "access")
        .subRoom("start", "access", "database")
        .subRoom("health", "access", "database", "start")
        .check(classes);
    inside("staff")
        .subRoom("web")
        .subRoom("study", "web")
        .subRoom("people", "web")
        .subRoom("imports", "web", "people")
        .subRoom("prompts", "web", "people")
        .subRoom("participant", "web", "people")
        .subRoom("bulk", "web", "people", "participant")
        .subRoom("safety", "web")
        .subRoom("today", "web", "study", "people", "participant", "safety")
        .subRoom("live", "web", "people", "participant")
        .subRoom("mcp", "web")
        .check(classes);
    inside("safety")
        .subRoom("rules")
        .subRoom("check", "rules")
        .subRoom("gates", "rules")
        .subRoom("incidents", "rules")
        .subRoom("opinions", "rules")
        .subRoom("alerts")
        .check(classes);
    inside("conversation")
        .subRoom("stored")
        .subRoom("configuration", "stored")
        .subRoom("model", "stored")
        .subRoom("takeover", "stored")
        .subRoom("flags")
        .subRoom("calls", "stored")
        .subRoom("turn", "stored", "model")
        .subRoom("requests", "stored", "model", "turn")
        .subRoom("rules", "stored", "model", "turn", "requests")
        .subRoom("wakeups", "stored", "model", "turn", "requests", "takeover")
        .check(classes);
    inside("study")
        .subRoom("figures")
        .subRoom("coding")
        .subRoom("exports")
        .subRoom("fidelity", "figures")
        .subRoom("report", "figures", "exports")
        .check(classes);
  }

  @ArchTest
  static final ArchRule theInboxKnowsNothingOfTheOutbox =
      noClasses()
          .that()
          .resideInAPackage("org.habitline.messaging.inbox")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.habitline.messaging.outbox");

  @ArchTest
  static final ArchRule whatInboxAndOutboxShareUsesNeither =
      noClasses()
          .that()
          .resideInAPackage("org.habitline.messaging")
          .and()
          .doNotHaveSimpleName("MessagingLifecycle")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.habitline.messaging.inbox", "org.habitline.messaging.outbox");

  @ArchTest static final ArchRule openAiStaysInItsSubPackage = vendor("com.openai..", "llm.openai");

  @ArchTest
  static final ArchRule twilioStaysInItsSubPackage = vendor("com.twilio..", "messaging.twilio");

  @ArchTest
  static final ArchRule quartzStaysInItsSubPackage = vendor("org.quartz..", "timers.quartz");

  @ArchTest
  static final ArchRule luceneStaysInKnowledge = vendor("org.apache.lucene..", "knowledge");

  @ArchTest
  static final ArchRule pdfBoxStaysInKnowledge = vendor("org.apache.pdfbox..", "knowledge");

  /** The server at {@code /mcp} uses the same SDK, but not its client. */
  @ArchTest
  static final ArchRule theMcpClientStaysInItsSubPackage =
      vendor("io.modelcontextprotocol.client..", "tools.mcp");

  @ArchTest
  static final ArchRule theServerOfTheContextProtocolStaysInItsSubRoom =
      vendor("io.modelcontextprotocol.server..", "staff.mcp");

  @ArchTest
  static final ArchRule toolsStayInTheirRoom =
      classes().that().implement(Tool.class).should().resideInAPackage("org.habitline.tools");

  @ArchTest
  static final ArchRule noClassIsNamedForWhatItIsNot =
      noClasses()
          .should()
          .haveSimpleNameEndingWith("Impl")
          .orShould()
          .haveSimpleNameEndingWith("Manager")
          .orShould()
          .haveSimpleNameEndingWith("Helper")
          .orShould()
          .haveSimpleNameEndingWith("Util")
          .orShould()
          .haveSimpleNameEndingWith("Utils");

  @ArchTest
  static final ArchRule everybodyAsksTheInjectedClock =
      noClasses()
          .should()
          .callMethod(java.time.Instant.class, "now")
          .orShould()
          .callMethod(java.time.LocalDate.class, "now")
          .orShould()
          .callMethod(java.time.LocalDateTime.class, "now")
          .orShould()
          .callMethod(java.time.OffsetDateTime.class, "now")
          .orShould()
          .callMethod(java.time.ZonedDateTime.class, "now")
          .orShould()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callConstructor(java.util.Date.class);

  private static final Set<String> VENDORS =
      Set.of(
          "org.habitline.messaging.twilio",
          "org.habitline.messaging.simulator",
          "org.habitline.llm.openai",
          "org.habitline.timers.quartz",
          "org.habitline.tools.mcp");

  private static final String WHERE_THE_FRAMEWORK_MAY_STAND =
      "live only in controllers, factories, configuration records, Jdbc classes, storage, vendor"
          + " sub-packages and ops";

  @ArchTest
  static final ArchRule frameworkAnnotationsOnClasses =
      classes()
          .that(are(not(frameworkPlaces())))
          .should()
          .notBeAnnotatedWith(ofTheFramework())
          .as("framework annotations on classes " + WHERE_THE_FRAMEWORK_MAY_STAND);

  @ArchTest
  static final ArchRule frameworkAnnotationsOnMethods =
      methods()
          .that()
          .areDeclaredInClassesThat(are(not(frameworkPlaces())))
          .should()
          .notBeAnnotatedWith(ofTheFramework())
          .as("framework annotations on methods " + WHERE_THE_FRAMEWORK_MAY_STAND);

  @ArchTest
  static final ArchRule frameworkAnnotationsOnFields =
      fields()
          .that()
          .areDeclaredInClassesThat(are(not(frameworkPlaces())))
          .should()
          .notBeAnnotatedWith(ofTheFramework())
          .as("framework annotations on fields " + WHERE_THE_FRAMEWORK_MAY_STAND);

  /** The sub-rooms of a room; a class of the room itself may use all of them. */
  private record Inside(String room, Map<String, List<String>> allowed) {

    Inside subRoom(String name, String... below) {
      allowed.put(name, List.of(below));
      return this;
    }

    void check(JavaClasses classes) {
      assertThat(
              classes.stream()
                  .map(JavaClass::getPackageName)
                  .filter(name -> name.startsWith("org.habitline." + room + "."))
                  .map(name -> name.substring(("org.habitline." + room + ".").length()))
                  .distinct())
          .as("sub-rooms of " + room)
          .containsExactlyInAnyOrderElementsOf(allowed.keySet());
      allowed.forEach((name, below) -> {
        var packages =
            Stream.concat(Stream.of(name), below.stream())
                .map(other -> "org.habitline." + room + "." + other)
                .toArray(String[]::new);
        noClasses()
            .that()
            .resideInAPackage("org.habitline." + room + "." + name)
            .should()
            .dependOnClassesThat(
                are(resideInAPackage("org.habitline." + room + ".."))
                    .and(not(resideInAnyPackage(packages))))
            .as(room + "." + name + " uses of its own room only " + below)
            .check(classes);
      });
    }
  }

  private static Inside inside(String room) {
    return new Inside(room, new LinkedHashMap<>());
  }

  private record Room(String name) {
    /** Nothing but these rooms, and the classes beside the rooms, which every room may use. */
    ArchRule mayUse(String... others) {
      var allowed =
          Stream.concat(Stream.of(name), Stream.of(others))
              .map(other -> "org.habitline." + other + "..")
              .toArray(String[]::new);
      return noClasses()
          .that()
          .resideInAPackage("org.habitline." + name + "..")
          .should()
          .dependOnClassesThat(
              are(resideInAPackage("org.habitline.."))
                  .and(not(resideInAnyPackage(allowed)))
                  .and(not(type(Hashes.class)))
                  .and(not(type(Patterns.class))))
          .as(name + " may use only " + (others.length == 0 ? "itself" : List.of(others)));
    }
  }

  private static ArchRule vendor(String packages, String room) {
    return noClasses()
        .that()
        .resideOutsideOfPackage("org.habitline." + room + "..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(packages);
  }

  private static Room room(String name) {
    return new Room(name);
  }

  private static ArchRule noOneDependsOn(String room) {
    return noClasses()
        .that()
        .resideInAPackage("org.habitline.*..")
        .and()
        .resideOutsideOfPackage("org.habitline." + room + "..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.habitline." + room + "..");
  }

  private static ArchRule onlyOpsDependsOn(String who, String room) {
    return noClasses()
        .that()
        .resideInAPackage(who)
        .and()
        .resideOutsideOfPackages("org.habitline." + room + "..", "org.habitline.ops..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.habitline." + room + "..");
  }

  private static DescribedPredicate<JavaClass> frameworkPlaces() {
    return DescribedPredicate.describe(
        "places of the framework",
        javaClass -> {
          var outermost = javaClass;
          while (outermost.getEnclosingClass().isPresent()) {
            outermost = outermost.getEnclosingClass().get();
          }
          var name = outermost.getSimpleName();
          return name.endsWith("Controller")
              || name.endsWith("Factory")
              || name.endsWith("Settings")
              || name.startsWith("Jdbc")
              || VENDORS.contains(outermost.getPackageName())
              || outermost.getPackageName().equals("org.habitline.storage")
              || outermost.getPackageName().startsWith("org.habitline.ops.")
              || outermost.getPackageName().equals("org.habitline");
        });
  }

  private static DescribedPredicate<JavaAnnotation<?>> ofTheFramework() {
    return DescribedPredicate.describe(
        "framework annotations",
        annotation -> {
          var name = ((HasName) annotation.getRawType()).getName();
          return name.startsWith("io.micronaut.")
              || name.startsWith("jakarta.transaction.")
              || name.startsWith("jakarta.persistence.")
              || name.startsWith("jakarta.annotation.");
        });
  }

  /** Leaves out what annotation processors and templates generate. */
  static final class WrittenByHand implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("/$")
          && !location.contains("$Intercepted")
          && !location.contains("$Introspection")
          && !location.contains("$Definition")
          && !location.contains("/gg/jte/");
    }
  }
}
