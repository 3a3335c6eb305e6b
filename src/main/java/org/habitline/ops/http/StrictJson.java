package org.habitline.ops.http;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.type.LogicalType;
import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import jakarta.inject.Singleton;
import java.util.List;

/** Refuses a number or a boolean where JSON should have a string: it is a client's mistake. */
@Singleton
final class StrictJson implements BeanCreatedEventListener<ObjectMapper> {

  private static final List<CoercionInputShape> NO_TEXTS =
      List.of(CoercionInputShape.Integer, CoercionInputShape.Float, CoercionInputShape.Boolean);

  @Override
  public ObjectMapper onCreated(BeanCreatedEvent<ObjectMapper> event) {
    var mapper = event.getBean();
    var texts = mapper.coercionConfigFor(LogicalType.Textual);
    NO_TEXTS.forEach(shape -> texts.setCoercion(shape, CoercionAction.Fail));
    return mapper;
  }
}
