// The ports of the pair in the simulator: puts what the harness has changed, reads what it may look at.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <vpi_user.h>

#include "fiber.h"
#include "ports.h"

class Pads {
 public:
  // Finds every port of the pair at `scope` and compares its width; ends the run when one is not as expected.
  void find(const std::string& scope);

  void put(Ports& ports);
  // After which step: the words of a stream mean something only while the clock is low, parameters from the start.
  void read(Ports& ports, Step step);

 private:
  enum class Kind : uint8_t { in, flag, word, cfg };
  struct Pad {
    Kind kind;
    int device;  // 0 or 1
    const char* name;
    vpiHandle handle;
    uint32_t at, bytes;  // in Ports
    uint32_t valid;      // of a word: where its valid is
    uint32_t bits;
    std::vector<uint8_t> last;  // of an input: what the simulator has
  };

  void add(const std::string& path, Pad pad);
  void get(Ports& ports, Pad& pad, bool strict);

  std::vector<Pad> inputs_, flags_, words_, cfg_;
};
