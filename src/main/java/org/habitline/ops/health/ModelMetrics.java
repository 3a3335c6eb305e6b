package org.habitline.ops.health;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micronaut.context.BeanProvider;
import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.habitline.llm.Deadline;
import org.habitline.llm.LanguageModel;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.TextListener;

/**
 * Measures every call to the model, also for turns that failed, because it is paid for. Replies
 * that a resumed turn reads from its journal are not calls and not counted.
 */
@Singleton
final class ModelMetrics implements BeanCreatedEventListener<LanguageModel> {

  private static final Duration[] STEPS = {
    Duration.ofMillis(250),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofSeconds(2),
    Duration.ofSeconds(5),
    Duration.ofSeconds(10),
    Duration.ofSeconds(20),
    Duration.ofSeconds(60)
  };

  /** A provider, because the registry itself is built by bean listeners like this one. */
  private final BeanProvider<MeterRegistry> registry;

  ModelMetrics(BeanProvider<MeterRegistry> registry) {
    this.registry = registry;
  }

  @Override
  public LanguageModel onCreated(BeanCreatedEvent<LanguageModel> event) {
    return new Measured(event.getBean(), registry);
  }

  /** A model whose calls are measured. */
  private record Measured(LanguageModel model, BeanProvider<MeterRegistry> meters)
      implements LanguageModel {

    @Override
    public ModelReply answer(ModelRequest request, Deadline deadline) {
      var began = System.nanoTime();
      var reply = model.answer(request, deadline);
      count(reply, Duration.ofNanos(System.nanoTime() - began));
      return reply;
    }

    @Override
    public ModelReply answer(ModelRequest request, Deadline deadline, TextListener listener) {
      var began = System.nanoTime();
      var reply = model.answer(request, deadline, listener);
      count(reply, Duration.ofNanos(System.nanoTime() - began));
      return reply;
    }

    private void count(ModelReply reply, Duration took) {
      var registry = meters.get();
      var receipt = reply.receipt();
      Timer.builder("habitline.model.latency")
          .description("Time from a request to the model to its outcome, including retries")
          .tags("model", receipt.modelAsked(), "outcome", outcome(reply))
          .serviceLevelObjectives(STEPS)
          .register(registry)
          .record(took);
      tokens(registry, receipt.modelAsked(), "prompt", receipt.promptTokens());
      tokens(registry, receipt.modelAsked(), "completion", receipt.completionTokens());
    }

    private static void tokens(MeterRegistry registry, String model, String type, long tokens) {
      Counter.builder("habitline.model.tokens")
          .description("Prompt and completion tokens")
          .tags("model", model, "type", type)
          .register(registry)
          .increment((double) tokens);
    }

    private static String outcome(ModelReply reply) {
      return switch (reply) {
        case ModelReply.Says says -> "says";
        case ModelReply.CallsTools calls -> "calls_tools";
        case ModelReply.Refused refused -> "refused";
        case ModelReply.CutOff cutOff -> "cut_off";
        case ModelReply.Failed failed -> "failed";
      };
    }

    @Override
    public boolean rehearsal() {
      return model.rehearsal();
    }

    @Override
    public String describe() {
      return model.describe();
    }

    @Override
    public List<String> models() {
      return model.models();
    }

    @Override
    public Optional<String> adapted() {
      return model.adapted();
    }
  }
}
