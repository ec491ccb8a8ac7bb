/* Answers a question in JSON from standard input with JSON on standard output, in C:
 *   echo '{"verb": "fit", "options": {"model": "llama-3.1-8b", "gpu": "h100-sxm"}}' | ./ask */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <loadfactor/loadfactor.h>

/* All of standard input; NULL for want of memory. */
static char* read_input(void) {
  size_t size = 0;
  size_t room = 4096;
  char* text = malloc(room);
  while (text != NULL) {
    size += fread(text + size, 1, room - size - 1, stdin);
    if (feof(stdin) || ferror(stdin)) {
      text[size] = '\0';
      return text;
    }
    room *= 2;
    char* more = realloc(text, room);
    if (more == NULL) free(text);
    text = more;
  }
  return NULL;
}

int main(void) {
  char* question = read_input();
  char* answer = question == NULL ? NULL : loadfactor_ask(question);
  if (answer == NULL) return 70;
  fputs(answer, stdout);
  const int is_answer = strstr(answer, "\"errors\"") == NULL;
  loadfactor_free(answer);
  free(question);
  return is_answer ? 0 : 2;
}
