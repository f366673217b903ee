// Profiles as rocprof, rocprofv3 and ncu write them, made by hand after their documentation.
#include <ridge/core/error.hpp>
#include <ridge/record/profile.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridge {
namespace {

using ::testing::HasSubstr;

constexpr const char* rocprof =
    "\"Index\",\"KernelName\",\"gpu-id\",\"queue-id\",\"grd\",\"wgr\",\"lds\",\"scr\",\"arch_"
    "vgpr\","
    "\"FETCH_SIZE\",\"WRITE_SIZE\",\"L2CacheHit\",\"DurationNs\"\n"
    "0,\"void laplacian_kernel<double, 8>(double*, double const*) [clone .kd]\",0,0,512,256,0,0,24,"
    "2048.0,1024.0,60.0,2000\n"
    "1,\"void laplacian_kernel<double, 8>(double*, double const*) [clone .kd]\",0,0,512,256,0,0,24,"
    "4096.0,1024.0,62.0,4000\n"
    "2,\"fill(float*, int)\",0,0,512,256,0,0,24,0.0,512.0,0.0,100\n";

constexpr const char* rocprofv3 =
    "\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Kernel_Id\",\"Kernel_Name\",\"Counter_"
    "Name\","
    "\"Counter_Value\",\"Start_Timestamp\",\"End_Timestamp\"\n"
    "1,1,4,10,\"step(double*, \"\"u\"\", int)\",\"FETCH_SIZE\",1000.000000,1,2\n"
    "1,1,4,10,\"step(double*, \"\"u\"\", int)\",\"WRITE_SIZE\",500.000000,1,2\n"
    "2,2,4,10,\"step(double*, \"\"u\"\", int)\",\"FETCH_SIZE\",3000.000000,3,4\n"
    "2,2,4,10,\"step(double*, \"\"u\"\", int)\",\"WRITE_SIZE\",500.000000,3,4\n";

constexpr const char* ncu_by_line =
    "==PROF== Connected to process 1\n"
    "\"ID\",\"Process ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
    "\"0\",\"1\",\"march(View, int)\",\"dram__bytes_read.sum\",\"Mbyte\",\"1,073.5\"\n"
    "\"0\",\"1\",\"march(View, int)\",\"dram__bytes_write.sum\",\"byte\",\"1,000\"\n"
    "\"0\",\"1\",\"march(View, int)\",\"gpu__time_duration.sum\",\"usecond\",\"512\"\n"
    "\"0\",\"1\",\"march(View, int)\",\"lts__t_sector_hit_rate.pct\",\"%\",\"40\"\n";

constexpr const char* ncu_raw =
    "\"ID\",\"Kernel "
    "Name\",\"dram__bytes_read.sum\",\"dram__bytes_write.sum\",\"lts__t_sectors.sum\","
    "\"lts__t_sectors_lookup_hit.sum\"\n"
    "\"\",\"\",\"Kbyte\",\"byte\",\"sector\",\"sector\"\n"
    "\"0\",\"march\",\"2\",\"300\",\"10\",\"4\"\n";

TEST(Profile, OfRocprofHasMeansOfEachKernel) {
  const auto kernels = read_profile(rocprof);
  ASSERT_EQ(kernels.size(), 2u);
  const ProfiledKernel& k = find_profiled(kernels, "laplacian");
  EXPECT_EQ(k.launches, 2);
  EXPECT_EQ(k.counters.source, "rocprof");
  EXPECT_DOUBLE_EQ(k.counters.bytes_read, 3072 * 1024.0);
  EXPECT_DOUBLE_EQ(k.counters.bytes_written.value(), 1024 * 1024.0);
  EXPECT_DOUBLE_EQ(k.counters.hit_rate.value(), 0.61);
  EXPECT_DOUBLE_EQ(k.seconds->value, 3e-6);
  EXPECT_EQ(find_profiled(kernels, "fill(float*, int)").launches, 1);
  EXPECT_EQ(k.use.registers, 24);
  EXPECT_EQ(k.use.lds_bytes, 0);
  EXPECT_EQ(k.use.scratch_bytes, 0);
  EXPECT_FALSE(k.use.active_lanes.has_value());
}

TEST(Profile, OfRocprofv3HasALineACounter) {
  const auto kernels = read_profile(rocprofv3);
  const ProfiledKernel& k = find_profiled(kernels, "");
  EXPECT_EQ(k.name, "step(double*, \"u\", int)");
  EXPECT_EQ(k.launches, 2);
  EXPECT_EQ(k.counters.source, "rocprofv3");
  EXPECT_DOUBLE_EQ(k.counters.bytes_read, 2000 * 1024.0);
  EXPECT_DOUBLE_EQ(k.counters.bytes_written.value(), 500 * 1024.0);
  EXPECT_FALSE(k.counters.hit_rate.has_value());
  EXPECT_DOUBLE_EQ(k.seconds->value, 1e-9);
}

TEST(Profile, OfNcuIsInAnyUnit) {
  const auto lines = read_profile(ncu_by_line);
  EXPECT_DOUBLE_EQ(lines[0].counters.bytes_read, 1073.5e6);
  EXPECT_DOUBLE_EQ(lines[0].counters.bytes_written.value(), 1000);
  EXPECT_DOUBLE_EQ(lines[0].counters.hit_rate.value(), 0.4);
  EXPECT_DOUBLE_EQ(lines[0].seconds->value, 512e-6);
  const auto raw = read_profile(ncu_raw);
  EXPECT_EQ(raw[0].launches, 1);
  EXPECT_DOUBLE_EQ(raw[0].counters.bytes_read, 2000);
  EXPECT_DOUBLE_EQ(raw[0].counters.bytes_written.value(), 300);
  EXPECT_DOUBLE_EQ(raw[0].counters.hit_rate.value(), 0.4);
  const auto used =
      read_profile("\"Dispatch_Id\",\"Kernel_Name\",\"LDS_Block_Size\",\"Scratch_Size\","
                   "\"VGPR_Count\",\"Counter_Name\",\"Counter_Value\"\n"
                   "1,k,512,16,64,FETCH_SIZE,1\n1,k,512,16,64,VALUUtilization,25\n"
                   "1,k,512,16,64,SQ_WAVES,4096\n1,k,512,16,64,VALUBusy,50\n");
  const ProfiledUse& use = used[0].use;
  EXPECT_EQ(use.registers, 64);
  EXPECT_EQ(use.lds_bytes, 512);
  EXPECT_EQ(use.scratch_bytes, 16);
  EXPECT_EQ(use.waves, 4096);
  EXPECT_EQ(use.busy, 0.5);
  EXPECT_EQ(use.active_lanes, 0.25);
}

TEST(Profile, CountsWhatFollowsTheLastFill) {
  const Counters v3 = counted_since_fill(
      "Dispatch_Id,Kernel_Name,Counter_Name,Counter_Value\n"
      "1,fill_random,FETCH_SIZE,7\n2,flux,FETCH_SIZE,100\n3,__amd_rocclr_fillBufferAligned,FETCH_"
      "SIZE,9\n"
      "4,flux,FETCH_SIZE,10\n5,move,FETCH_SIZE,30\n4,flux,WRITE_SIZE,5\n5,move,WRITE_SIZE,6\n"
      "4,flux,L2CacheHit,20\n5,move,L2CacheHit,40\n");
  EXPECT_EQ(v3.source, "rocprofv3");
  EXPECT_DOUBLE_EQ(v3.bytes_read, 40 * 1024.0);
  EXPECT_DOUBLE_EQ(v3.bytes_written.value(), 11 * 1024.0);
  EXPECT_DOUBLE_EQ(v3.hit_rate.value(), 0.3);
  const Counters old = counted_since_fill("Index,KernelName,FETCH_SIZE,WRITE_SIZE\n0,move,50,9\n1,"
                                          "fill,1,1\n2,move,10,3\n3,move,11,4\n");
  EXPECT_EQ(old.source, "rocprof");
  EXPECT_DOUBLE_EQ(old.bytes_read, 21 * 1024.0);
  EXPECT_FALSE(old.hit_rate.has_value());
  EXPECT_THROW((void)counted_since_fill("Index,KernelName,FETCH_SIZE\n0,move,50\n"), Failure);
}

std::string refused(const std::string& text, const char* name = "") {
  try {
    (void)find_profiled(read_profile(text), name);
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

TEST(Profile, SaysWhatIsWrong) {
  EXPECT_THAT(refused("a,b\n1,2\n"), HasSubstr("no profile"));
  EXPECT_THAT(refused(""), HasSubstr("no profile"));
  const std::string whole = rocprof;
  EXPECT_THAT(refused(whole.substr(0, whole.size() - 12)), HasSubstr("cut off"));
  EXPECT_THAT(refused(whole.substr(0, whole.rfind("int)") + 2)), HasSubstr("cut off"));
  EXPECT_THAT(refused(rocprof, "a"), HasSubstr("2 kernels"));
  EXPECT_THAT(refused(rocprof, "march"), HasSubstr("no kernels"));
  EXPECT_THAT(refused("\"Index\",\"KernelName\",\"WRITE_SIZE\"\n0,\"k\",1\n"),
              HasSubstr("lacks bytes read of k"));
  EXPECT_THAT(refused("\"Index\",\"KernelName\",\"Wavefronts\"\n0,\"k\",1\n"),
              HasSubstr("none of the counters"));
  std::string unit = ncu_by_line;
  unit.replace(unit.find("Mbyte"), 5, "acres");
  EXPECT_THAT(refused(unit), HasSubstr("'acres'"));
  std::string value = rocprof;
  value.replace(value.find("2048.0"), 6, "n/a");
  EXPECT_THAT(refused(value), HasSubstr("'n/a' where FETCH_SIZE"));
}

TEST(Profile, InputCountsWhatIsRead) {
  EXPECT_THAT(rocprof_input("laplacian"), HasSubstr("FETCH_SIZE"));
  EXPECT_THAT(rocprof_input("laplacian"), HasSubstr("kernel: laplacian\n"));
}

} // namespace
} // namespace ridge
