package org.habitline.staff.web;

import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.micronaut.views.View;
import io.swagger.v3.oas.annotations.Hidden;
import java.util.Map;

/** Shows the terms of the pages and guides; every page links here. */
@Hidden
@Controller("/glossary")
@Secured({"deidentified", "viewer"})
@Produces(MediaType.TEXT_HTML)
final class GlossaryController {

  private final PageFrames frames;
  private final Glossary glossary = Glossary.shipped();

  GlossaryController(PageFrames frames) {
    this.frames = frames;
  }

  @Get
  @View("glossary")
  Map<String, Object> page(Authentication by) {
    return Map.of("frame", frames.frame("Glossary", by, null), "glossary", glossary);
  }
}
