INSERT INTO binary_kernels (
  binary, entry, symbol, registers, spill_store_bytes, spill_load_bytes, stack_bytes, static_shared_bytes,
  constant_bytes, max_threads_per_block)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (binary, entry) DO NOTHING
