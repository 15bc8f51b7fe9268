#include "base/error.h"
#include "index/gpu/updater_pass.h"

// What a batch does with strings.

namespace lanewise::index {

/// Puts the batch's strings to where they can be compared with those of the image.
void Updater::Pass::stage_texts(const UpdateBatch& batch) {
  const auto bytes_for = [](u64 bytes) { return sizeof(u32) + (bytes + 3) / 4 * 4; };
  const u64* begins = batch.begins;
  u64 bytes = 0;
  for (u64 i = 0; i < batch.count; ++i) bytes += bytes_for(begins[i + 1] - begins[i]);
  const u64 there = room(bytes);
  all_.stream_.fill(there, 0, bytes);  // Comparisons look at whole words.
  u64 at = there - image_.memory.address();
  std::vector<NewPiece> pieces(batch.count);
  for (u64 i = 0; i < batch.count; ++i) {
    const u64 length = begins[i + 1] - begins[i];
    if (length >= u64{1} << 31) throw UserError("a string of 2 GiB or more cannot be a key");
    pieces[i] = {
        at, 0, batch.keys + begins[i], job_.words + i * row_bytes() + sizeof(u64), static_cast<u32>(length),
        0};
    at += bytes_for(length);
  }
  upload_pieces(pieces);
  step(Step::kWriteTexts, pieces.size());
}

void Updater::Pass::upload_pieces(const std::vector<NewPiece>& pieces) {
  held_.push_back(all_.upload(pieces));
  job_.pieces = held_.back().address();
}

/// Learns which slots of strings no entry uses.
void Updater::Pass::collect_texts() {
  std::vector<u8> used(image_.groups * geometry().group_bytes / 16);
  const gpu::DeviceBuffer there = all_.room(used.size());
  all_.stream_.fill(there.address(), 0, used.size());
  job_.text_used = there.address();
  step(Step::kMarkTexts, job_.leaves);
  all_.staging_.download(used.data(), there.address(), used.size(), all_.stream_);
  all_.texts_.collect(used);
}

/// The groups that are needed for strings of these lengths.
TextSlots::Numbers Updater::Pass::text_groups_for(const std::vector<u64>& lengths) {
  const TextSlots::Numbers wanted = TextSlots::wanted(lengths);
  if (!all_.texts_.suffice(wanted)) collect_texts();
  return all_.texts_.lacking_groups(wanted);
}

/// Says where the strings of additions, which are those of these rows, go in the image. Returns how many
/// pieces they are.
size_t Updater::Pass::place_additions(const UpdateBatch& batch, const std::vector<u32>& rows) {
  std::vector<NewPiece> pieces;
  for (size_t i = 0; i < rows.size(); ++i) {
    const u64* begin = batch.begins + rows[i];
    all_.texts_.take(batch.keys + begin[0], begin[1] - begin[0],
                     job_.added_words + i * row_bytes() + sizeof(u64), pieces);
  }
  upload_pieces(pieces);
  return pieces.size();
}

/// Keys of inner nodes get strings of their own, as the host requires.
void Updater::Pass::own_bounds() {
  collect_texts();
  const NodeShape& shape = geometry().inner;
  std::vector<u64> bytes(all_.inner_nodes_ * shape.most), begins(bytes.size()), lengths;
  job_.bound_bytes = room(bytes.size() * sizeof(u64));
  step(Step::kBoundTexts, all_.inner_nodes_);
  all_.staging_.download(bytes.data(), job_.bound_bytes, bytes.size() * sizeof(u64), all_.stream_);
  u64 total = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    begins[i] = total;
    if (bytes[i] == kNoBound) continue;
    lengths.push_back(bytes[i]);
    total += bytes[i];
  }
  const gpu::DeviceBuffer begins_there = all_.upload(begins);
  job_.bounds = room(total);
  job_.bound_at = begins_there.address();
  step(Step::kBoundTexts, all_.inner_nodes_);
  all_.grow(image_, 0, 0, text_groups_for(lengths));
  set_groups();
  std::vector<NewPiece> pieces;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == kNoBound) continue;
    const u64 node = image_.memory.address() + u64{all_.inner_at(i / shape.most)} * kLine;
    const u64 name = node + shape.keys_at + (shape.slots + i % shape.most) * sizeof(u64);
    all_.texts_.take(job_.bounds + begins[i], bytes[i], name, pieces);
  }
  upload_pieces(pieces);
  step(Step::kWriteTexts, pieces.size());
}

FreeSlots Updater::Pass::link_texts(const std::vector<u64>& free) {
  if (free.empty()) return {};
  const gpu::DeviceBuffer there = all_.upload(free);
  job_.text_free = there.address();
  job_.free_wanted = free.size();
  step(Step::kLinkTexts, free.size());
  return {free[0], free.size(), 0, 0};
}

}  // namespace lanewise::index
