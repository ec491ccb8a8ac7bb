/* The planner for any language that can call C: a question in JSON in, an answer in JSON out.
 *
 *   char* answer = loadfactor_ask("{\"verb\": \"fit\", \"options\": {\"model\": \"llama-3.1-8b\","
 *                                 " \"gpu\": \"h100-sxm\"}}");
 *   puts(answer);
 *   loadfactor_free(answer);
 *
 * Questions are those of question_from_json in engine.h: they carry the files that they name, and
 * `"options": {"today": "YYYY-MM-DD"}` tells the date. Nothing is read, written or kept; calls from
 * several threads do not touch each other. */
#ifndef LOADFACTOR_LOADFACTOR_H
#define LOADFACTOR_LOADFACTOR_H

#ifdef __cplusplus
extern "C" {
#endif

/** What `loadfactor VERB --format json` would print, or {"loadfactor": 1, "errors": […]}. Never
 *  NULL, except for want of memory. */
char* loadfactor_ask(const char* question);

/** Releases what loadfactor_ask returned. */
void loadfactor_free(char* answer);

/** As of `loadfactor --version`. */
const char* loadfactor_version(void);

#ifdef __cplusplus
}
#endif

#endif
