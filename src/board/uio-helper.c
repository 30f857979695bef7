// uio-helper: lets a program without mmap reach cards: their register windows, interrupts and the memory they can reach.
//
//   uio-helper (WINDOW OFFSET BYTES IRQ MEMORY OFFSET BYTES ADDRESS) ...
//
// Eight arguments for each card. Commands are done in their order, that between cards included.
// WINDOW and MEMORY are files to be mapped from that offset on, IRQ a file of UIO or -; ADDRESS is what the card calls the
// first byte of the memory. Where WINDOW or IRQ is a socket, a stand-in answers there. docs/fpga.md describes the frames on
// stdin and stdout and the messages of a stand-in. The memory is cleared at the start.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { FRAME_OK = 0, FRAME_ERROR = 1, KIND_PROTOCOL = 1 };
enum { OP_READ = 1, OP_WRITE = 2, OP_MEMORY_READ = 3, OP_MEMORY_WRITE = 4, OP_WAIT = 5 };
enum { MAX_FRAME = 1 << 28 };

static uint8_t *request, *reply;
static size_t request_size, request_at, reply_size, reply_room;

static void send_frame(void);

static void put(const void *bytes, size_t size) {
  if (reply_size + size > reply_room) {
    reply_room = 2 * (reply_size + size);
    reply = realloc(reply, reply_room);
    if (!reply) abort();
  }
  memcpy(reply + reply_size, bytes, size);
  reply_size += size;
}

static void put_u8(uint8_t value) { put(&value, 1); }
static void put_u32(uint32_t value) { put(&value, 4); }
static void put_u64(uint64_t value) { put(&value, 8); }

// The last frame: what was wrong, for people.
__attribute__((noreturn, format(printf, 1, 2))) static void die(const char *format, ...) {
  char text[512];
  va_list list;
  va_start(list, format);
  const int size = vsnprintf(text, sizeof text, format, list);
  va_end(list);
  reply_size = 0;
  put_u8(FRAME_ERROR);
  put_u64(0);
  put_u8(KIND_PROTOCOL);
  put_u32((uint32_t)size);
  put(text, (size_t)size);
  send_frame();
  exit(2);
}

static void write_all(int fd, const void *bytes, size_t size) {
  const uint8_t *from = bytes;
  while (size > 0) {
    const ssize_t n = write(fd, from, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) exit(2);
    from += n;
    size -= (size_t)n;
  }
}

// False at the end of the file.
static int read_all(int fd, void *bytes, size_t size) {
  uint8_t *to = bytes;
  while (size > 0) {
    const ssize_t n = read(fd, to, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return 0;
    to += n;
    size -= (size_t)n;
  }
  return 1;
}

static void send_frame(void) {
  const uint32_t size = (uint32_t)reply_size;
  write_all(STDOUT_FILENO, &size, 4);
  write_all(STDOUT_FILENO, reply, reply_size);
  reply_size = 0;
}

static const uint8_t *take(size_t size) {
  if (size > request_size - request_at) die("frame: expected %zu more bytes, found %zu", size, request_size - request_at);
  request_at += size;
  return request + request_at - size;
}

static uint64_t take_number(size_t bytes) {
  uint64_t value = 0;
  memcpy(&value, take(bytes), bytes);
  return value;
}

// ---------------------------------------------------------------------------------------------
// The card.

struct file {
  int fd;
  int is_socket;
};

static struct file open_file(const char *path) {
  struct stat about;
  if (stat(path, &about) != 0) die("%s: expected a file, found: %s", path, strerror(errno));
  struct file file = {-1, S_ISSOCK(about.st_mode)};
  if (file.is_socket) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) die("%s: expected a shorter path for a socket", path);
    strcpy(address.sun_path, path);
    file.fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (file.fd < 0 || connect(file.fd, (struct sockaddr *)&address, sizeof address) != 0)
      die("%s: expected a stand-in that answers, found: %s", path, strerror(errno));
  } else {
    file.fd = open(path, O_RDWR | O_SYNC);
    if (file.fd < 0) die("%s: cannot be opened: %s", path, strerror(errno));
  }
  return file;
}

static uint8_t *map_file(int fd, const char *path, uint64_t offset, uint64_t bytes) {
  void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
  if (at == MAP_FAILED) die("%s: cannot be mapped, %llu bytes from %llu on: %s", path, (unsigned long long)bytes,
                            (unsigned long long)offset, strerror(errno));
  return at;
}

struct card {
  struct file window, irq;
  volatile uint8_t *registers;
  uint8_t *memory;
  uint64_t window_bytes, memory_bytes, memory_address;
  uint32_t interrupts;  // seen so far
};

enum { CARD_ARGUMENTS = 8, MAX_CARDS = 2 };
static struct card cards[MAX_CARDS];
static size_t card_count;

// What a stand-in is asked; it answers a read with its value.
struct access {
  uint8_t write, size;
  uint16_t reserved;
  uint32_t offset;
  uint64_t value;
};

static void check_access(const struct card *card, uint32_t offset, uint8_t size) {
  if ((size != 4 && size != 8) || offset % size != 0 || offset + (uint64_t)size > card->window_bytes)
    die("window: expected 4 or 8 aligned bytes below %llu, found %u bytes at %u", (unsigned long long)card->window_bytes, size,
        offset);
}

static uint64_t read_window(const struct card *card, uint32_t offset, uint8_t size) {
  check_access(card, offset, size);
  if (!card->window.is_socket)
    return size == 4 ? *(volatile uint32_t *)(card->registers + offset) : *(volatile uint64_t *)(card->registers + offset);
  const struct access access = {0, size, 0, offset, 0};
  uint64_t value;
  write_all(card->window.fd, &access, sizeof access);
  if (!read_all(card->window.fd, &value, sizeof value)) die("window: the stand-in is gone");
  return value;
}

// A write is posted: the card has it when a read has come back. One card hears of nothing before the other has heard of
// what was written to it earlier, nor before what was written to memory is there.
static void write_window(const struct card *card, uint32_t offset, uint8_t size, uint64_t value) {
  static const struct card *written;
  check_access(card, offset, size);
  if (written && written != card) read_window(written, 0, 4);
  written = card;
  __sync_synchronize();
  if (card->window.is_socket) {
    const struct access access = {1, size, 0, offset, value};
    write_all(card->window.fd, &access, sizeof access);
  } else if (size == 4) {
    *(volatile uint32_t *)(card->registers + offset) = (uint32_t)value;
  } else {
    *(volatile uint64_t *)(card->registers + offset) = value;
  }
}

static uint8_t *place(const struct card *card, uint64_t address, uint64_t bytes) {
  const uint64_t at = address - card->memory_address;
  if (address < card->memory_address || at > card->memory_bytes || bytes > card->memory_bytes - at)
    die("memory: expected a range in 0x%llx..0x%llx, found %llu bytes at 0x%llx", (unsigned long long)card->memory_address,
        (unsigned long long)(card->memory_address + card->memory_bytes), (unsigned long long)bytes, (unsigned long long)address);
  return card->memory + at;
}

// Lets each interrupt come once and waits for the first; replies how many came of each card since it was last asked.
static void wait_interrupts(uint32_t microseconds) {
  struct pollfd polled[MAX_CARDS];
  for (size_t i = 0; i < card_count; i++) {
    const uint32_t enable = 1;
    polled[i] = (struct pollfd){.fd = cards[i].irq.fd, .events = POLLIN};  // none: poll passes over it
    if (polled[i].fd >= 0) write_all(polled[i].fd, &enable, sizeof enable);
  }
  const struct timespec patience = {microseconds / 1000000, (long)(microseconds % 1000000) * 1000};
  if (ppoll(polled, card_count, &patience, NULL) < 0) die("interrupt: %s", strerror(errno));
  for (size_t i = 0; i < card_count; i++) {
    uint32_t count = cards[i].interrupts;
    if (polled[i].revents != 0 && !read_all(polled[i].fd, &count, sizeof count)) die("interrupt: the file has ended");
    put_u32(count - cards[i].interrupts);
    cards[i].interrupts = count;
  }
}

static void obey(void) {
  const uint8_t op = (uint8_t)take_number(1);
  if (op == OP_WAIT) {
    wait_interrupts((uint32_t)take_number(4));
    return;
  }
  const uint8_t number = (uint8_t)take_number(1);
  if (number >= card_count) die("frame: expected a card below %zu, found %u", card_count, number);
  const struct card *card = &cards[number];
  if (op == OP_READ || op == OP_WRITE) {
    const uint8_t size = (uint8_t)take_number(1);
    const uint32_t offset = (uint32_t)take_number(4);
    if (op == OP_READ) put_u64(read_window(card, offset, size));
    else write_window(card, offset, size, take_number(8));
  } else if (op == OP_MEMORY_READ || op == OP_MEMORY_WRITE) {
    const uint64_t address = take_number(8);
    const uint32_t bytes = (uint32_t)take_number(4);
    uint8_t *at = place(card, address, bytes);
    __sync_synchronize();
    if (op == OP_MEMORY_READ) put(at, bytes);
    else memcpy(at, take(bytes), bytes);
  } else {
    die("frame: expected a command, found %u", op);
  }
}

static uint64_t number(const char *text) {
  char *end;
  errno = 0;
  const uint64_t value = strtoull(text, &end, 0);
  if (errno != 0 || *text == 0 || *end != 0) die("arguments: expected a number, found %s", text);
  return value;
}

static void open_card(struct card *card, char **arguments) {
  const char *window = arguments[0], *irq = arguments[3], *memory = arguments[4];
  card->window_bytes = number(arguments[2]);
  card->memory_bytes = number(arguments[6]);
  card->memory_address = number(arguments[7]);
  card->window = open_file(window);
  if (!card->window.is_socket) card->registers = map_file(card->window.fd, window, number(arguments[1]), card->window_bytes);
  card->irq = (struct file){-1, 0};
  if (strcmp(irq, "-") != 0) card->irq = strcmp(irq, window) == 0 ? card->window : open_file(irq);
  const struct file file = open_file(memory);
  card->memory = map_file(file.fd, memory, number(arguments[5]), card->memory_bytes);
  memset(card->memory, 0, card->memory_bytes);
}

int main(int argc, char **argv) {
  card_count = (size_t)(argc - 1) / CARD_ARGUMENTS;
  if (card_count < 1 || card_count > MAX_CARDS || card_count * CARD_ARGUMENTS != (size_t)(argc - 1))
    die("arguments: expected %d for each of 1 to %d cards, found %d", CARD_ARGUMENTS, MAX_CARDS, argc - 1);
  for (size_t i = 0; i < card_count; i++) open_card(&cards[i], argv + 1 + i * CARD_ARGUMENTS);

  uint32_t size;
  while (read_all(STDIN_FILENO, &size, 4)) {
    if (size == 0 || size > MAX_FRAME) die("frame: expected 1 to %d bytes, found %u", MAX_FRAME, size);
    request = realloc(request, size);
    if (!request) abort();
    if (!read_all(STDIN_FILENO, request, size)) return 2;
    request_size = size;
    request_at = 0;
    put_u8(FRAME_OK);
    while (request_at < request_size) obey();
    send_frame();
  }
  return 0;
}
